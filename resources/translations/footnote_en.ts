<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>BaseAdditionController</name>
    <message numerus="yes">
        <source>Adding %n source(s) to “{base}”…</source>
        <translation>
            <numerusform>Adding %n source to “{base}”…</numerusform>
            <numerusform>Adding %n sources to “{base}”…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n source(s) added to “{base}”.</source>
        <translation>
            <numerusform>%n source added to “{base}”.</numerusform>
            <numerusform>%n sources added to “{base}”.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n already in “{base}”.</source>
        <translation>
            <numerusform>%n already in “{base}”.</numerusform>
            <numerusform>%n already in “{base}”.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n couldn’t be added: {reason}</source>
        <translation>
            <numerusform>%n couldn’t be added: {reason}</numerusform>
            <numerusform>%n couldn’t be added, such as {reason}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChangesPane</name>
    <message numerus="yes">
        <source>%n more change(s)</source>
        <translation>
            <numerusform>%n more change</numerusform>
            <numerusform>%n more changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CitedPagesPanel</name>
    <message numerus="yes">
        <source>%n saved page(s)</source>
        <translation>
            <numerusform>%n saved page</numerusform>
            <numerusform>%n saved pages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CourseBar</name>
    <message numerus="yes">
        <source>at most %n minute(s) left</source>
        <translation>
            <numerusform>at most %n minute left</numerusform>
            <numerusform>at most %n minutes left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>took %n second(s)</source>
        <translation>
            <numerusform>took %n second</numerusform>
            <numerusform>took %n seconds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>took %n minute(s)</source>
        <translation>
            <numerusform>took %n minute</numerusform>
            <numerusform>took %n minutes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message numerus="yes">
        <source>%n check(s) need attention</source>
        <translation>
            <numerusform>%n check needs attention</numerusform>
            <numerusform>%n checks need attention</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DrawingEngine</name>
    <message numerus="yes">
        <source>It took more than %n second(s).</source>
        <translation>
            <numerusform>It took more than %n second.</numerusform>
            <numerusform>It took more than %n seconds.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DropZone</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ErasePanel</name>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>%n chat</numerusform>
            <numerusform>%n chats</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s)</source>
        <translation>
            <numerusform>%n memory</numerusform>
            <numerusform>%n memories</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Also delete from %n backup(s)</source>
        <translation>
            <numerusform>Also delete from %n backup</numerusform>
            <numerusform>Also delete from %n backups</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryDialog</name>
    <message numerus="yes">
        <source>More than %n result(s)</source>
        <translation>
            <numerusform>More than %n result</numerusform>
            <numerusform>More than %n results</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n result(s)</source>
        <translation>
            <numerusform>%n result</numerusform>
            <numerusform>%n results</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message numerus="yes">
        <source>%n knowledge base(s)</source>
        <translation>
            <numerusform>%n knowledge base</numerusform>
            <numerusform>%n knowledge bases</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>From {program}: %n chat(s), {missing} new.</source>
        <translation>
            <numerusform>From {program}: %n chat, {missing} new.</numerusform>
            <numerusform>From {program}: %n chats, {missing} new.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s).</source>
        <translation>
            <numerusform>%n memory.</numerusform>
            <numerusform>%n memories.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) imported.</source>
        <translation>
            <numerusform>%n chat imported.</numerusform>
            <numerusform>%n chats imported.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportRow</name>
    <message numerus="yes">
        <source>%n item(s) added to “{base}”</source>
        <translation>
            <numerusform>%n item added to “{base}”</numerusform>
            <numerusform>%n items added to “{base}”</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n not added</source>
        <translation>
            <numerusform>%n not added</numerusform>
            <numerusform>%n not added</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link(s) point outside the folder. Point here to see them.</source>
        <translation>
            <numerusform>%n link points outside the folder. Point here to see it.</numerusform>
            <numerusform>%n links point outside the folder. Point here to see them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message numerus="yes">
        <source>%n memory(s) added or updated</source>
        <translation>
            <numerusform>%n memory added or updated</numerusform>
            <numerusform>%n memories added or updated</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s) exported</source>
        <translation>
            <numerusform>%n memory exported</numerusform>
            <numerusform>%n memories exported</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelPanel</name>
    <message numerus="yes">
        <source>Hide details of %n model(s)</source>
        <translation>
            <numerusform>Hide details of %n model</numerusform>
            <numerusform>Hide details of %n models</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show details of %n model(s)</source>
        <translation>
            <numerusform>Show details of %n model</numerusform>
            <numerusform>Show details of %n models</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message numerus="yes">
        <source>%n item(s) added to “{base}”</source>
        <translation>
            <numerusform>%n item added to “{base}”</numerusform>
            <numerusform>%n items added to “{base}”</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) not added</source>
        <translation>
            <numerusform>%n item not added</numerusform>
            <numerusform>%n items not added</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PassagesPage</name>
    <message numerus="yes">
        <source>%n passage(s)</source>
        <translation>
            <numerusform>%n passage</numerusform>
            <numerusform>%n passages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PrivatePassagesDialog</name>
    <message numerus="yes">
        <source>%n passage(s) left out</source>
        <translation>
            <numerusform>%n passage left out</numerusform>
            <numerusform>%n passages left out</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RestoreDialog</name>
    <message numerus="yes">
        <source>%n chat(s), {missing} not here.</source>
        <translation>
            <numerusform>%n chat, {missing} not here.</numerusform>
            <numerusform>%n chats, {missing} not here.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s).</source>
        <translation>
            <numerusform>%n memory.</numerusform>
            <numerusform>%n memories.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) not in this backup will be removed.</source>
        <translation>
            <numerusform>%n chat not in this backup will be removed.</numerusform>
            <numerusform>%n chats not in this backup will be removed.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) restored.</source>
        <translation>
            <numerusform>%n chat restored.</numerusform>
            <numerusform>%n chats restored.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s) restored.</source>
        <translation>
            <numerusform>%n memory restored.</numerusform>
            <numerusform>%n memories restored.</numerusform>
        </translation>
    </message>
</context>
</TS>
