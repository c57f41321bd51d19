<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>errors</name>
    <message>
        <source>The settings could not be read ({detail}). They were kept as {kept_as}; defaults are in use.</source>
        <translation>无法读取设置（{detail}）。原文件保存为 {kept_as}，现使用默认设置。</translation>
    </message>
    <message>
        <source>The setting {name} cannot be used ({detail}). Its default is in use instead.</source>
        <translation>设置 {name} 不可用（{detail}），改用其默认值。</translation>
    </message>
    <message>
        <source>The settings could not be saved ({detail}). Those saved before are unchanged.</source>
        <translation>无法保存设置（{detail}）。之前保存的设置没有变化。</translation>
    </message>
    <message>
        <source>{service} needs an API key. Add one in Settings.</source>
        <translation>{service} 需要 API 密钥，请在“设置”中添加。</translation>
    </message>
    <message>
        <source>This system offers no keyring ({detail}). Keys are kept until Footnote closes, never on disk.</source>
        <translation>此系统没有提供密钥环（{detail}）。密钥只保留到 Footnote 关闭为止，不会写入磁盘。</translation>
    </message>
    <message>
        <source>{provider} refused the API key. Check it in Settings. {detail}</source>
        <translation>{provider} 拒绝了 API 密钥，请在“设置”中检查。{detail}</translation>
    </message>
    <message>
        <source>{provider} does not know the model or address. Check both in Settings. {detail}</source>
        <translation>{provider} 不认识这个模型或地址，请在“设置”中检查。{detail}</translation>
    </message>
    <message>
        <source>{provider} is receiving too many requests. {advice} {detail}</source>
        <translation>{provider} 收到的请求过多。{advice} {detail}</translation>
    </message>
    <message>
        <source>The account at {provider} has no credit left. {detail}</source>
        <translation>{provider} 的账户余额已用完。{detail}</translation>
    </message>
    <message>
        <source>The conversation is too long for this model at {provider}. {detail}</source>
        <translation>对话太长，超出了 {provider} 上这个模型的限制。{detail}</translation>
    </message>
    <message>
        <source>{provider} refused the request. {detail}</source>
        <translation>{provider} 拒绝了请求。{detail}</translation>
    </message>
    <message>
        <source>{provider} cannot be reached or is failing. Check the address and the network. {detail}</source>
        <translation>无法连接 {provider}，或对方出现故障。请检查地址和网络。{detail}</translation>
    </message>
    <message>
        <source>{provider} did not answer in time. {detail}</source>
        <translation>{provider} 没有及时回应。{detail}</translation>
    </message>
    <message>
        <source>The connection to {provider} broke in the middle of the answer. {detail}</source>
        <translation>回答到一半时，与 {provider} 的连接中断了。{detail}</translation>
    </message>
    <message>
        <source>{provider} sent something that is not an answer. Is the address right? {detail}</source>
        <translation>{provider} 发来的内容不是回答。地址填对了吗？{detail}</translation>
    </message>
    <message>
        <source>There is no search engine “{engine}”. Known: {known}.</source>
        <translation>没有名为“{engine}”的搜索引擎。可用的有：{known}。</translation>
    </message>
    <message>
        <source>No Chromium, Chrome or Edge was found. {advice}</source>
        <translation>没有找到 Chromium、Chrome 或 Edge。{advice}</translation>
    </message>
    <message>
        <source>There is no knowledge base “{base}”.</source>
        <translation>没有名为“{base}”的知识库。</translation>
    </message>
    <message>
        <source>There is already a knowledge base “{base}”.</source>
        <translation>已有名为“{base}”的知识库。</translation>
    </message>
    <message>
        <source>“{name}” is of a kind that cannot be read ({detail}).</source>
        <translation>无法读取“{name}”这类文件（{detail}）。</translation>
    </message>
    <message>
        <source>“{name}” is damaged or locked: {detail}.</source>
        <translation>“{name}”已损坏或被锁定：{detail}。</translation>
    </message>
    <message>
        <source>“{name}” cannot be opened: {detail}.</source>
        <translation>无法打开“{name}”：{detail}。</translation>
    </message>
    <message>
        <source>“{name}” holds no text. {detail}</source>
        <translation>“{name}”中没有文字。{detail}</translation>
    </message>
    <message>
        <source>The knowledge index cannot be asked: {detail}</source>
        <translation>知识库索引无法查询：{detail}</translation>
    </message>
    <message>
        <source>Another Footnote is using the knowledge bases in {folder}. Close it first.</source>
        <translation>另一个 Footnote 正在使用 {folder} 中的知识库，请先关闭它。</translation>
    </message>
    <message>
        <source>{path} was written by a newer Footnote. Update Footnote; the file was left untouched.</source>
        <translation>{path} 由更新版本的 Footnote 写入。请更新 Footnote；该文件未被改动。</translation>
    </message>
    <message>
        <source>{path} is damaged: {detail}</source>
        <translation>{path} 已损坏：{detail}</translation>
    </message>
    <message>
        <source>{path} was damaged ({detail}). It was restored as of {taken_at}; what came later is missing. The damaged file was kept as {kept_as}.</source>
        <translation>{path} 已损坏（{detail}），已恢复到 {taken_at} 的状态，之后的内容缺失。损坏的文件保存为 {kept_as}。</translation>
    </message>
    <message>
        <source>{path} is in use by another program.</source>
        <translation>{path} 正被其他程序使用。</translation>
    </message>
    <message>
        <source>The disk is full. Nothing that was saved is lost; make room and try again. {detail}</source>
        <translation>磁盘已满。已保存的内容不会丢失；请腾出空间后重试。{detail}</translation>
    </message>
    <message>
        <source>{path} cannot be used: {detail}. Nothing that was saved is lost.</source>
        <translation>{path} 无法使用：{detail}。已保存的内容不会丢失。</translation>
    </message>
    <message>
        <source>This conversation is no longer there.</source>
        <translation>这个对话已不存在。</translation>
    </message>
</context>
</TS>
