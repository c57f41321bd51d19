<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AccentChoice</name>
    <message>
        <source>Your colour</source>
        <translation>你的颜色</translation>
    </message>
    <message>
        <source>Other…</source>
        <translation>其他…</translation>
    </message>
</context>
<context>
    <name>AddMenu</name>
    <message>
        <source>Files…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Watch a folder…</source>
        <translation>监视文件夹…</translation>
    </message>
    <message>
        <source>Web page…</source>
        <translation>网页…</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>写笔记</translation>
    </message>
    <message>
        <source>Add a web page</source>
        <translation>添加网页</translation>
    </message>
    <message>
        <source>Address of the page, or of a PDF on the web</source>
        <translation>网页或网上 PDF 的地址</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>Watch a folder</source>
        <translation>监视文件夹</translation>
    </message>
</context>
<context>
    <name>AppearancePreview</name>
    <message>
        <source>The moon and the sea</source>
        <translation>月亮与大海</translation>
    </message>
    <message>
        <source>The tides follow the moon, and less the sun.</source>
        <translation>潮汐随月亮而动，受太阳的影响较小。</translation>
    </message>
    <message>
        <source>What makes the tides?</source>
        <translation>潮汐是怎么形成的？</translation>
    </message>
    <message>
        <source>Mostly **the moon** [1]: the sea rises where its pull is strongest, and on the far side.

- twice a day in most places
- higher at new and full moon</source>
        <translation>主要是**月亮**[1]：引力最强的一侧和背对月亮的一侧，海面都会升高。

- 多数地方每天两次
- 新月和满月时更高</translation>
    </message>
</context>
<context>
    <name>ApprovalBar</name>
    <message>
        <source>Allow &amp;once</source>
        <translation>允许一次(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Always allow this tool</source>
        <translation>始终允许此工具(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Don&apos;t allow</source>
        <translation>不允许(&amp;D)</translation>
    </message>
    <message>
        <source>N&amp;ever allow this tool</source>
        <translation>永不允许此工具(&amp;E)</translation>
    </message>
    <message>
        <source>What the tool would be given</source>
        <translation>工具将收到的内容</translation>
    </message>
    <message>
        <source>May the tool “{tool}” of “{server}” run?</source>
        <translation>允许运行“{server}”的工具“{tool}”吗？</translation>
    </message>
    <message>
        <source>A model proposes to remember this. May it be kept?</source>
        <translation>模型提议记住这句话。要保留吗？</translation>
    </message>
    <message>
        <source>This names something that only your memories or files know. May it be searched for?</source>
        <translation>其中提到了只有你的记忆或文件里才有的内容。可以拿去搜索吗？</translation>
    </message>
    <message>
        <source>May the tool “{tool}” run?</source>
        <translation>允许运行工具“{tool}”吗？</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>还有 {count} 个</translation>
    </message>
</context>
<context>
    <name>AssistantEditor</name>
    <message>
        <source>An emoji or a letter</source>
        <translation>一个表情符号或字母</translation>
    </message>
    <message>
        <source>What it is to do, and in which manner</source>
        <translation>它要做什么、怎样做</translation>
    </message>
    <message>
        <source>Questions that an empty conversation offers, one a line</source>
        <translation>空对话中提供的问题，每行一个</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>同设置</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>全部工具</translation>
    </message>
    <message>
        <source>All servers</source>
        <translation>全部服务器</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个 token</translation>
    </message>
    <message>
        <source>Little</source>
        <translation>少</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>Much</source>
        <translation>多</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Icon</source>
        <translation>图标</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Web search</source>
        <translation>联网搜索</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P（核采样）</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Conversation sent</source>
        <translation>发送的对话长度</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source>Rounds of tools</source>
        <translation>工具轮数</translation>
    </message>
    <message>
        <source>Further fields of requests</source>
        <translation>请求的其他字段</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>建议问题</translation>
    </message>
</context>
<context>
    <name>AssistantFilter</name>
    <message>
        <source>All assistants</source>
        <translation>全部助手</translation>
    </message>
    <message>
        <source>Show conversations with: {assistant}</source>
        <translation>显示对话：{assistant}</translation>
    </message>
</context>
<context>
    <name>AssistantPanel</name>
    <message>
        <source>Assistants</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export this one…</source>
        <translation>导出这一个…</translation>
    </message>
    <message>
        <source>Export all…</source>
        <translation>全部导出…</translation>
    </message>
    <message>
        <source>Bring back those that came with Footnote</source>
        <translation>恢复随 Footnote 附带的助手</translation>
    </message>
    <message>
        <source>New assistant</source>
        <translation>新助手</translation>
    </message>
    <message>
        <source>{assistant} (copy)</source>
        <translation>{assistant}（副本）</translation>
    </message>
    <message>
        <source>“{assistant}” is as it came with Footnote.</source>
        <translation>“{assistant}”已还原成附带时的样子。</translation>
    </message>
    <message>
        <source>“{assistant}” was deleted.</source>
        <translation>“{assistant}”已删除。</translation>
    </message>
    <message>
        <source>Import assistants</source>
        <translation>导入助手</translation>
    </message>
    <message>
        <source>Assistants (*.json)</source>
        <translation>助手 (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Imported: {names}</source>
        <translation>已导入：{names}</translation>
    </message>
    <message>
        <source>Export assistants</source>
        <translation>导出助手</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>已保存为 {path}</translation>
    </message>
</context>
<context>
    <name>AssistantSelection</name>
    <message>
        <source>The assistant of this conversation was deleted. Answers go on without it.</source>
        <translation>此对话的助手已被删除。之后的回答不再使用它。</translation>
    </message>
</context>
<context>
    <name>AssistantSwitch</name>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Manage assistants…</source>
        <translation>管理助手…</translation>
    </message>
</context>
<context>
    <name>BackupList</name>
    <message>
        <source>Where the copies are</source>
        <translation>副本的位置</translation>
    </message>
    <message>
        <source>Copy now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>There are none yet.</source>
        <translation>还没有副本。</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>Dated in the future: the clock was wrong then, or is wrong now</source>
        <translation>日期晚于现在：当时或现在的时钟不准</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>更新之前</translation>
    </message>
    <message>
        <source>Before going back to another copy</source>
        <translation>恢复另一个副本之前</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Look inside…</source>
        <translation>查看内容…</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>已备份。</translation>
    </message>
</context>
<context>
    <name>BaseActions</name>
    <message>
        <source>New knowledge base</source>
        <translation>新建知识库</translation>
    </message>
    <message>
        <source>“{base}” was deleted. Your files stay where they are.</source>
        <translation>已删除“{base}”。你的文件保留在原处。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Exported to “{file}”.</source>
        <translation>已导出到“{file}”。</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Imported: “{base}”.</source>
        <translation>已导入：“{base}”。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>BaseChooser</name>
    <message>
        <source>New knowledge base…</source>
        <translation>新建知识库…</translation>
    </message>
    <message>
        <source>New knowledge base</source>
        <translation>新建知识库</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
</context>
<context>
    <name>BasePanel</name>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>New base</source>
        <translation>新建知识库</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
</context>
<context>
    <name>BranchController</name>
    <message>
        <source>An answer is on its way here. Wait for it, or stop it first.</source>
        <translation>这里正在生成回答。请等它完成，或先停止它。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>{title} (branch)</source>
        <translation>{title}（分支）</translation>
    </message>
    <message>
        <source>Message deleted</source>
        <translation>已删除这条消息</translation>
    </message>
    <message>
        <source>{count} messages deleted</source>
        <translation>已删除 {count} 条消息</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>This is a conversation of its own from here on.</source>
        <translation>从这里起是一个独立的对话。</translation>
    </message>
    <message>
        <source>Back to the other one</source>
        <translation>回到原来的对话</translation>
    </message>
</context>
<context>
    <name>BrowserDownloadDialog</name>
    <message>
        <source>Browser</source>
        <translation>浏览器</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>The browser is ready</source>
        <translation>浏览器已就绪</translation>
    </message>
    <message>
        <source>Downloading a browser</source>
        <translation>正在下载浏览器</translation>
    </message>
    <message>
        <source>The browser could not be downloaded</source>
        <translation>浏览器下载失败</translation>
    </message>
    <message>
        <source>No browser was found</source>
        <translation>没有找到浏览器</translation>
    </message>
    <message>
        <source>Web search uses it from now on.</source>
        <translation>从现在起，网络搜索将使用它。</translation>
    </message>
    <message>
        <source>To search the web without a key, Footnote reads result pages in a browser that nobody sees. Chrome and Edge will do, but neither is installed. Footnote can download Chromium for itself: about 180 MB, and 400 MB on the disk. Everything else works without it.</source>
        <translation>没有密钥时，Footnote 在后台浏览器中读取搜索结果页。Chrome 或 Edge 均可，但都没有安装。Footnote 可以为自己下载 Chromium：约 180 MB，占用磁盘约 400 MB。其他功能无需浏览器即可使用。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>Unpacking…</source>
        <translation>正在解压…</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done}，共 {total}</translation>
    </message>
    <message>
        <source>The download broke off. Check the connection and try again.</source>
        <translation>下载中断。请检查网络连接后重试。</translation>
    </message>
    <message>
        <source>The server did not deliver it. Try again later, or install Google Chrome.</source>
        <translation>服务器没有提供文件。请稍后重试，或安装 Google Chrome。</translation>
    </message>
    <message>
        <source>There is no room left on the disk for it. Make about 1 GB of room and try again.</source>
        <translation>磁盘空间不足。请腾出约 1 GB 空间后重试。</translation>
    </message>
    <message>
        <source>Its folder may not be written to. Install Google Chrome or Edge instead.</source>
        <translation>无法写入目标文件夹。请改为安装 Google Chrome 或 Edge。</translation>
    </message>
    <message>
        <source>Another program is downloading it now. Try again when that is done.</source>
        <translation>另一个程序正在下载它。请等它完成后重试。</translation>
    </message>
    <message>
        <source>The download failed ({detail}). Try again, or install Google Chrome.</source>
        <translation>下载失败（{detail}）。请重试，或安装 Google Chrome。</translation>
    </message>
</context>
<context>
    <name>BrowserStatus</name>
    <message>
        <source>Download one…</source>
        <translation>下载一个…</translation>
    </message>
    <message>
        <source>Looking for a browser…</source>
        <translation>正在查找浏览器…</translation>
    </message>
    <message>
        <source>A browser is there.</source>
        <translation>已找到浏览器。</translation>
    </message>
</context>
<context>
    <name>CaptchaDialog</name>
    <message>
        <source>{engine} wants to see a person</source>
        <translation>{engine} 要确认是真人</translation>
    </message>
    <message>
        <source>Its page is opening in a window of its own. Do there what it asks for: the window closes by itself once there are results. Take your time.</source>
        <translation>它的页面会在单独的窗口中打开。请按页面的要求操作：一有结果，窗口会自动关闭。不用着急。</translation>
    </message>
    <message>
        <source>{engine} still does not answer</source>
        <translation>{engine} 仍未给出结果</translation>
    </message>
    <message>
        <source>Show it again</source>
        <translation>再次打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>CaptchaNotifier</name>
    <message>
        <source>{engine} answers again.</source>
        <translation>{engine} 恢复了。</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新提问</translation>
    </message>
    <message>
        <source>{engine} wants to see a person before it answers. Once it has, your question is searched with it, too.</source>
        <translation>{engine} 要先确认是真人，才会给出结果。确认之后，会用它再搜索你的问题。</translation>
    </message>
    <message>
        <source>Show its page and search</source>
        <translation>打开它的页面并搜索</translation>
    </message>
</context>
<context>
    <name>ChoiceModel</name>
    <message>
        <source>{shown} of {count}</source>
        <translation>{count} 个中的 {shown} 个</translation>
    </message>
</context>
<context>
    <name>ComparisonDialog</name>
    <message>
        <source>Compare models</source>
        <translation>比较模型</translation>
    </message>
    <message>
        <source>Find a model</source>
        <translation>查找模型</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Pick two to four models; each answers the same question from the same sources.</source>
        <translation>选择两到四个模型；它们依据同样的来源回答同一个问题。</translation>
    </message>
    <message>
        <source>This takes two models, and there is only one. Add a provider in Settings, Models.</source>
        <translation>并排回答需要两个模型，而现在只有一个。请在“设置”的“模型”中添加服务商。</translation>
    </message>
</context>
<context>
    <name>CompletionController</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>/remember</source>
        <translation>/记住</translation>
    </message>
    <message>
        <source>Remember</source>
        <translation>记住</translation>
    </message>
    <message>
        <source>A fact to know in every conversation</source>
        <translation>让每个对话都知道的一件事</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Your prompts</source>
        <translation>你的提示词</translation>
    </message>
    <message>
        <source>Keep what is written as a prompt</source>
        <translation>把已写的内容存为提示词</translation>
    </message>
    <message>
        <source>Write and change prompts…</source>
        <translation>编写和修改提示词…</translation>
    </message>
    <message>
        <source>Kept as a prompt: “{name}”. A / offers it.</source>
        <translation>已存为提示词“{name}”，输入 / 即可使用。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>{server} is writing “{prompt}”</source>
        <translation>{server} 正在写“{prompt}”</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>CompletionPopup</name>
    <message>
        <source>Suggestions</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Enter takes it, Esc leaves the text as it is</source>
        <translation>回车选用，Esc 保留原文</translation>
    </message>
    <message>
        <source>Enter: this one answers. Ctrl+Enter: it answers beside the others</source>
        <translation>回车：由它回答；Ctrl+回车：与其他模型一起回答</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>What do you want to know of the document? Attach it, or choose it beside</source>
        <translation>想从文档中了解什么？请添加文档，或在旁边选择</translation>
    </message>
    <message>
        <source>What is the text to be about?</source>
        <translation>文章要写什么？</translation>
    </message>
    <message>
        <source>Ask anything.  @ picks a model, a base or a past answer, / a prompt</source>
        <translation>想问什么？  @ 选模型、知识库或以前的回答，/ 选提示词</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>添加附件</translation>
    </message>
    <message>
        <source>Send  {keys}</source>
        <translation>发送  {keys}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop  Esc</source>
        <translation>停止  Esc</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>{percent}% of the window</source>
        <translation>上下文已用 {percent}%</translation>
    </message>
    <message>
        <source>≈ {count} tokens</source>
        <translation>约 {count} 词元</translation>
    </message>
    <message>
        <source>{count} tokens so far</source>
        <translation>已用 {count} 词元</translation>
    </message>
    <message>
        <source>This message: about {count} tokens</source>
        <translation>这条消息：约 {count} 词元</translation>
    </message>
    <message>
        <source>Conversation before it: about {count} of {space}</source>
        <translation>之前的对话：约 {count}，可用 {space}</translation>
    </message>
    <message>
        <source>What does not fit is left out, the oldest first, and it is said so.</source>
        <translation>放不下的内容会省略，最早的先省略，并会注明。</translation>
    </message>
    <message>
        <source>Spent so far: {given} tokens in, {made} out</source>
        <translation>累计：输入 {given} 词元，输出 {made}</translation>
    </message>
</context>
<context>
    <name>ConversationExport</name>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Saved as “{name}”</source>
        <translation>已保存为“{name}”</translation>
    </message>
</context>
<context>
    <name>ConversationListStore</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>ConversationTable</name>
    <message>
        <source>Find a conversation</source>
        <translation>查找对话</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>None</source>
        <translation>全不选</translation>
    </message>
</context>
<context>
    <name>ConversationTableModel</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>最后使用</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息数</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>这里有吗</translation>
    </message>
    <message>
        <source>Without a title</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>no</source>
        <translation>没有</translation>
    </message>
    <message>
        <source>yes, the same</source>
        <translation>有，相同</translation>
    </message>
    <message>
        <source>yes, a newer state</source>
        <translation>有，且更新</translation>
    </message>
    <message>
        <source>yes, an older state</source>
        <translation>有，但较旧</translation>
    </message>
</context>
<context>
    <name>ConversationView</name>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>{count} conversations</source>
        <translation>{count} 个对话</translation>
    </message>
</context>
<context>
    <name>CustomEngineDialog</name>
    <message>
        <source>Add an engine</source>
        <translation>添加搜索引擎</translation>
    </message>
    <message>
        <source>Change the engine</source>
        <translation>修改搜索引擎</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Search for something there, copy the address of the result page, and put %s in place of what you searched for.</source>
        <translation>在该网站搜索任意内容，复制结果页面的地址，再把其中的搜索词换成 %s。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>The address has to begin with https:// or http:// and name a site.</source>
        <translation>地址须以 https:// 或 http:// 开头，并包含网站名称。</translation>
    </message>
    <message>
        <source>%s cannot stand in the name of the site.</source>
        <translation>%s 不能出现在网站名称中。</translation>
    </message>
    <message>
        <source>%s is missing: it says where in the address the query goes.</source>
        <translation>缺少 %s：它表示搜索词在地址中的位置。</translation>
    </message>
    <message>
        <source>There is an engine with this address already.</source>
        <translation>已有使用此地址的搜索引擎。</translation>
    </message>
    <message>
        <source>There is an engine with this name already.</source>
        <translation>已有同名的搜索引擎。</translation>
    </message>
</context>
<context>
    <name>CustomModelDialog</name>
    <message>
        <source>Add an embedding model</source>
        <translation>添加嵌入模型</translation>
    </message>
    <message>
        <source>Any Sentence Transformers model: what it is called on Hugging Face, or the folder that it is in.</source>
        <translation>任何 Sentence Transformers 模型：它在 Hugging Face 上的名称，或所在的文件夹。</translation>
    </message>
    <message>
        <source>Name on Hugging Face, or a folder</source>
        <translation>Hugging Face 上的名称，或文件夹</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>This model is listed already.</source>
        <translation>这个模型已在列表中。</translation>
    </message>
    <message>
        <source>There is no model in this folder: it has no config.json.</source>
        <translation>此文件夹中没有模型：缺少 config.json。</translation>
    </message>
    <message>
        <source>The name has to be as on Hugging Face, such as {example}.</source>
        <translation>名称须与 Hugging Face 上一致，例如 {example}。</translation>
    </message>
    <message>
        <source>Folder of a model</source>
        <translation>模型所在的文件夹</translation>
    </message>
</context>
<context>
    <name>DiagnosticRow</name>
    <message>
        <source>In order</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Could be better</source>
        <translation>有待改善</translation>
    </message>
    <message>
        <source>Does not work</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings for: {name}</source>
        <translation>相关设置：{name}</translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message>
        <source>Look now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>Report for those who help…</source>
        <translation>求助报告…</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Look at these: {count}</source>
        <translation>需要留意：{count} 项</translation>
    </message>
    <message>
        <source>All in order.</source>
        <translation>一切正常。</translation>
    </message>
</context>
<context>
    <name>DropController</name>
    <message>
        <source>A folder cannot be attached to a message. A knowledge base can read it.</source>
        <translation>文件夹不能附在消息里，可以让知识库来读。</translation>
    </message>
    <message>
        <source>Add to a knowledge base…</source>
        <translation>添加到知识库…</translation>
    </message>
    <message>
        <source>This is no file, or it is not there any more: {names}</source>
        <translation>不是文件，或已经不在了：{names}</translation>
    </message>
</context>
<context>
    <name>DropZone</name>
    <message>
        <source>Attach to this message</source>
        <translation>附加到这条消息</translation>
    </message>
    <message>
        <source>Read once, for the next question</source>
        <translation>只为下一个问题读取一次</translation>
    </message>
    <message>
        <source>Read this for me</source>
        <translation>为我阅读</translation>
    </message>
    <message>
        <source>Outline, key points and claims, with pages</source>
        <translation>大纲、要点与论断，均附页码</translation>
    </message>
    <message>
        <source>Add to a knowledge base</source>
        <translation>加入知识库</translation>
    </message>
    <message>
        <source>Kept and searchable in every conversation</source>
        <translation>长期保存，在每个对话中都能检索</translation>
    </message>
</context>
<context>
    <name>EditBar</name>
    <message>
        <source>Leave it as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>Leave it as it is  Esc</source>
        <translation>保持原样  Esc</translation>
    </message>
    <message>
        <source>Editing “{question}”. It is kept with its answer, and you can turn back to it.</source>
        <translation>正在编辑“{question}”。原来的问题和回答会保留，随时可以切换回去。</translation>
    </message>
</context>
<context>
    <name>EffortSwitch</name>
    <message>
        <source>How long the model thinks</source>
        <translation>模型思考多久</translation>
    </message>
</context>
<context>
    <name>EngineOrder</name>
    <message>
        <source>Add an engine…</source>
        <translation>添加搜索引擎…</translation>
    </message>
</context>
<context>
    <name>EngineRow</name>
    <message>
        <source>Try {engine} earlier</source>
        <translation>提前尝试 {engine}</translation>
    </message>
    <message>
        <source>Change {engine}</source>
        <translation>修改 {engine}</translation>
    </message>
    <message>
        <source>Show its page…</source>
        <translation>打开它的页面…</translation>
    </message>
    <message>
        <source>Answers, as a rule within {seconds} s.</source>
        <translation>工作正常，通常 {seconds} 秒内给出结果。</translation>
    </message>
    <message>
        <source>Left alone for another {seconds} s.</source>
        <translation>{seconds} 秒内不再使用。</translation>
    </message>
</context>
<context>
    <name>ErasePanel</name>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation>彻底删除…</translation>
    </message>
    <message>
        <source>Can be brought back: conversations {conversations}, memories {memories}.</source>
        <translation>可以恢复：对话 {conversations} 个，记忆 {memories} 条。</translation>
    </message>
    <message>
        <source>Out of the copies as well; copies that hold what was there before: {copies}</source>
        <translation>同时从副本中删除；保留着以前内容的副本：{copies} 个</translation>
    </message>
    <message>
        <source>Delete for good what was deleted?</source>
        <translation>要彻底删除已删除的内容吗？</translation>
    </message>
    <message>
        <source>All copies give way to one of what is there now. Nothing can be brought back.</source>
        <translation>所有副本将由当前内容的一个副本取代，无法再恢复。</translation>
    </message>
    <message>
        <source>It cannot be brought back. Copies that were made before still hold it.</source>
        <translation>将无法恢复。以前的副本中仍保留着这些内容。</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>彻底删除</translation>
    </message>
</context>
<context>
    <name>ErrorBar</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>The answer was copied with its sources.</source>
        <translation>已复制回答及其来源。</translation>
    </message>
    <message>
        <source>Copy answer with sources</source>
        <translation>复制回答和来源</translation>
    </message>
    <message>
        <source>Copy sources</source>
        <translation>复制来源</translation>
    </message>
    <message>
        <source>Save answer</source>
        <translation>保存回答</translation>
    </message>
    <message>
        <source>Save answer with what was found out</source>
        <translation>保存回答及研究所得</translation>
    </message>
    <message>
        <source>Save conversation</source>
        <translation>保存对话</translation>
    </message>
    <message>
        <source>For another Footnote (JSON)…</source>
        <translation>供另一个 Footnote 使用（JSON）…</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>复制为</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>Saving “{name}”</source>
        <translation>正在保存“{name}”</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Saved as “{name}”</source>
        <translation>已保存为“{name}”</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>FactList</name>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Show all {count}</source>
        <translation>显示全部 {count} 项</translation>
    </message>
</context>
<context>
    <name>FileActions</name>
    <message>
        <source>Removed: {count}. Your files stay where they are.</source>
        <translation>已移除 {count} 项。你的文件保留在原处。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>FileChip</name>
    <message>
        <source>This file is not there any more.</source>
        <translation>这个文件已经不在了。</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Show items with these words</source>
        <translation>显示含有这些词的条目</translation>
    </message>
    <message>
        <source>Show items in a state</source>
        <translation>按状态显示条目</translation>
    </message>
    <message>
        <source>Show items with a tag</source>
        <translation>按标签显示条目</translation>
    </message>
    <message>
        <source>All states</source>
        <translation>所有状态</translation>
    </message>
    <message>
        <source>All tags</source>
        <translation>所有标签</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{position} of {total}…</source>
        <translation>{total} 处中的第 {position} 处…</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>{position} of {total}</source>
        <translation>{total} 处中的第 {position} 处</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>FoldersPage</name>
    <message>
        <source>Loading…</source>
        <translation>正在载入…</translation>
    </message>
    <message>
        <source>Watched folders</source>
        <translation>监视的文件夹</translation>
    </message>
    <message>
        <source>Watch a folder…</source>
        <translation>监视文件夹…</translation>
    </message>
    <message>
        <source>Watch no longer</source>
        <translation>停止监视</translation>
    </message>
    <message>
        <source>No folder is watched</source>
        <translation>没有监视任何文件夹</translation>
    </message>
    <message>
        <source>A watched folder keeps the base up to date: what is added, changed, renamed or deleted there soon is so here.</source>
        <translation>监视文件夹可让知识库保持最新：其中新增、修改、改名或删除的内容很快就会反映到这里。</translation>
    </message>
    <message>
        <source>Watched folders of “{base}”</source>
        <translation>“{base}”监视的文件夹</translation>
    </message>
    <message>
        <source>What changes in these folders soon changes in the base.</source>
        <translation>这些文件夹中的变化很快就会反映到知识库中。</translation>
    </message>
</context>
<context>
    <name>HistoryDialog</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Cite in a question</source>
        <translation>在提问中引用</translation>
    </message>
    <message>
        <source>Search all messages</source>
        <translation>搜索所有消息</translation>
    </message>
    <message>
        <source>Words, or a “phrase in quotes”</source>
        <translation>输入词语，或“带引号的短语”</translation>
    </message>
    <message>
        <source>Messages found</source>
        <translation>找到的消息</translation>
    </message>
    <message>
        <source>Enter opens the message where it stands · Ctrl+Enter cites it in a question</source>
        <translation>Enter 打开消息所在的位置 · Ctrl+Enter 在提问中引用</translation>
    </message>
    <message>
        <source>Find anything that you or a model ever said, also in archived conversations.
Words may be half typed; what stands in quotes is found letter by letter.</source>
        <translation>查找你或模型说过的任何内容，包括已归档的对话。
词语不必输完整；引号中的内容会逐字查找。</translation>
    </message>
    <message>
        <source>What your messages mean is being worked out, the newest first: {share} % so far…</source>
        <translation>正在分析消息的含义，从最新的开始：已完成 {share} %…</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Nothing was found. Less narrow choices above may find more.</source>
        <translation>没有找到。放宽上面的筛选条件也许能找到更多。</translation>
    </message>
    <message>
        <source>Nothing was found. Fewer words, or other ones, may find more.</source>
        <translation>没有找到。减少词语或换个说法也许能找到更多。</translation>
    </message>
    <message>
        <source>The meaning of {share} % of all messages is known so far</source>
        <translation>目前已知 {share} % 消息的含义</translation>
    </message>
    <message>
        <source>Older messages are still being listed: {share} % can be found</source>
        <translation>较早的消息仍在编入索引：目前可找到 {share} %</translation>
    </message>
    <message>
        <source>{count} found</source>
        <translation>找到 {count} 条</translation>
    </message>
</context>
<context>
    <name>HistoryFilters</name>
    <message>
        <source>Any time</source>
        <translation>任何时间</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Past 7 days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>Past 30 days</source>
        <translation>过去 30 天</translation>
    </message>
    <message>
        <source>Past year</source>
        <translation>过去一年</translation>
    </message>
    <message>
        <source>Between…</source>
        <translation>自选日期…</translation>
    </message>
    <message>
        <source>Questions and answers</source>
        <translation>问题与回答</translation>
    </message>
    <message>
        <source>My questions</source>
        <translation>我的问题</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>All assistants</source>
        <translation>全部助手</translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>按含义</translation>
    </message>
    <message>
        <source>Find what says the same in other words. Worked out on this machine, in the background.</source>
        <translation>查找用别的说法表达的相同内容。在本机后台计算。</translation>
    </message>
    <message>
        <source>When it was said</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Who said it</source>
        <translation>说话人</translation>
    </message>
    <message>
        <source>With which assistant</source>
        <translation>使用的助手</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>到</translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>{title} (archived)</source>
        <translation>{title}（已归档）</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
</context>
<context>
    <name>IconPicker</name>
    <message>
        <source>Another emoji</source>
        <translation>其他表情符号</translation>
    </message>
    <message>
        <source>No icon</source>
        <translation>不用图标</translation>
    </message>
    <message>
        <source>Icons</source>
        <translation>图标</translation>
    </message>
</context>
<context>
    <name>ImageAttachments</name>
    <message>
        <source>picture</source>
        <translation>图片</translation>
    </message>
</context>
<context>
    <name>ImportBar</name>
    <message>
        <source>and {count} more</source>
        <translation>还有 {count} 项</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import “{name}”</source>
        <translation>导入“{name}”</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Use the settings in it</source>
        <translation>使用其中的设置</translation>
    </message>
    <message>
        <source>Knowledge bases in it: {count}</source>
        <translation>其中的知识库：{count} 个</translation>
    </message>
    <message>
        <source>Looking what is in it…</source>
        <translation>正在查看内容…</translation>
    </message>
    <message>
        <source>From {program}. Conversations: {count}; not here: {missing}.</source>
        <translation>来自 {program}：{count} 个对话，其中 {missing} 个这里没有。</translation>
    </message>
    <message>
        <source>Memories: {count}.</source>
        <translation>记忆：{count} 条。</translation>
    </message>
    <message>
        <source>Conversations that came in: {count}.</source>
        <translation>已导入对话：{count} 个。</translation>
    </message>
    <message>
        <source>And {count} more like that.</source>
        <translation>另有 {count} 处类似情况。</translation>
    </message>
</context>
<context>
    <name>ImportRow</name>
    <message>
        <source>Adding to “{base}”</source>
        <translation>正在添加到“{base}”</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Looking for files</source>
        <translation>正在查找文件</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Added to “{base}”: {count}</source>
        <translation>已加入“{base}”：{count} 个文件</translation>
    </message>
    <message>
        <source> · not added: {count}</source>
        <translation> · 未加入：{count} 个</translation>
    </message>
    <message>
        <source>The others are listed under Knowledge.</source>
        <translation>其余的列在“知识库”中。</translation>
    </message>
    <message>
        <source>Links that lead out of the folder: {count}. Rest the pointer here to see all.</source>
        <translation>指向文件夹之外的链接：{count} 个。将指针停在此处可查看全部。</translation>
    </message>
</context>
<context>
    <name>InspectorController</name>
    <message>
        <source>There is no record of how this answer came by its sources.</source>
        <translation>没有关于这个回答如何得到来源的记录。</translation>
    </message>
</context>
<context>
    <name>InspectorDialog</name>
    <message>
        <source>How this answer came by its sources</source>
        <translation>这个回答如何得到来源</translation>
    </message>
    <message>
        <source>Search again and answer</source>
        <translation>重新搜索并回答</translation>
    </message>
    <message>
        <source>Leave out and answer again</source>
        <translation>排除并重新回答</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Sources and searches</source>
        <translation>来源与搜索</translation>
    </message>
    <message>
        <source>Nothing was looked up for this answer.</source>
        <translation>这个回答没有查找任何资料。</translation>
    </message>
    <message>
        <source>Use again and answer</source>
        <translation>重新使用并回答</translation>
    </message>
    <message>
        <source>Let go</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Keep for further questions</source>
        <translation>固定给后续问题</translation>
    </message>
</context>
<context>
    <name>ItemsPage</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Test the search</source>
        <translation>测试检索</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Items of the base</source>
        <translation>知识库中的条目</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Nothing fits the filter</source>
        <translation>没有符合筛选条件的条目</translation>
    </message>
    <message>
        <source>Drop files, folders or links here</source>
        <translation>把文件、文件夹或链接拖到这里</translation>
    </message>
    <message>
        <source>PDFs and scans, Office files, mails, e-books, web pages, pictures, code: they are read on this machine and can be searched by their words within seconds.</source>
        <translation>PDF 与扫描件、Office 文件、邮件、电子书、网页、图片、代码：都在本机读取，几秒之内即可按词检索。</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在载入…</translation>
    </message>
</context>
<context>
    <name>JsonField</name>
    <message>
        <source>It is too long.</source>
        <translation>内容太长。</translation>
    </message>
    <message>
        <source>Not kept: Footnote itself says {names}.</source>
        <translation>未保存：{names} 由 Footnote 自己填写。</translation>
    </message>
    <message>
        <source>Not kept: this has to be a JSON object such as {example}.</source>
        <translation>未保存：这里要填一个 JSON 对象，例如 {example}。</translation>
    </message>
</context>
<context>
    <name>KeyCard</name>
    <message>
        <source>I have an API key</source>
        <translation>我有 API 密钥</translation>
    </message>
    <message>
        <source>For OpenAI, Anthropic, DeepSeek and many others. The key stays in the system&apos;s keyring.</source>
        <translation>适用于 OpenAI、Anthropic、DeepSeek 等众多服务。密钥只保存在系统的密钥环中。</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>服务商</translation>
    </message>
    <message>
        <source>Paste the key here</source>
        <translation>在此粘贴密钥</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
</context>
<context>
    <name>KnowledgeField</name>
    <message>
        <source>As in the settings</source>
        <translation>与设置相同</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>KnowledgeManager</name>
    <message>
        <source>Drop to make a knowledge base of it</source>
        <translation>松开即可建立知识库</translation>
    </message>
    <message>
        <source>Add to “{base}”</source>
        <translation>添加到“{base}”</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>New knowledge base</source>
        <translation>新建知识库</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Your own sources</source>
        <translation>你自己的资料</translation>
    </message>
    <message>
        <source>A knowledge base holds what answers may cite: papers, manuals, mails, books, web pages, notes. Drop files or a folder here to begin; everything is read and kept on this machine.</source>
        <translation>知识库里存放回答可以引用的资料：论文、手册、邮件、书籍、网页、笔记。把文件或文件夹拖到这里即可开始；一切都在本机读取和保存。</translation>
    </message>
    <message>
        <source>The note was not saved.</source>
        <translation>笔记没有保存。</translation>
    </message>
    <message>
        <source>Go on writing</source>
        <translation>继续写</translation>
    </message>
    <message>
        <source>“{text}” is no address of a web page.</source>
        <translation>“{text}”不是网页地址。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>One base at a time: wait until this one is through, or cancel it.</source>
        <translation>一次只能处理一个知识库：请等它完成，或取消它。</translation>
    </message>
</context>
<context>
    <name>KnowledgeSwitch</name>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>{count} bases</source>
        <translation>{count} 个知识库</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
</context>
<context>
    <name>LibraryPanel</name>
    <message>
        <source>PyTorch and Sentence Transformers</source>
        <translation>PyTorch 和 Sentence Transformers</translation>
    </message>
    <message>
        <source>Install</source>
        <translation>安装</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Install PyTorch and Sentence Transformers</source>
        <translation>安装 PyTorch 和 Sentence Transformers</translation>
    </message>
    <message>
        <source>Cancel the installation of PyTorch and Sentence Transformers</source>
        <translation>取消安装 PyTorch 和 Sentence Transformers</translation>
    </message>
    <message>
        <source>They run embedding models, rerankers and entailment models of your choice on this computer. The models that come with Footnote do not need them.</source>
        <translation>它们在本机上运行你选择的嵌入模型、重排模型和蕴含模型。Footnote 自带的模型不需要它们。</translation>
    </message>
    <message>
        <source>They are installed.</source>
        <translation>它们已安装。</translation>
    </message>
    <message>
        <source>They take about 1 GB, and some 300 MB to download.</source>
        <translation>它们占用约 1 GB，需下载约 300 MB。</translation>
    </message>
    <message>
        <source>This installation of Footnote has a Python of its own, to which nothing can be added. Install Footnote in a terminal to use them, with the command below; your data stays.</source>
        <translation>这个版本的 Footnote 自带 Python，无法向其中添加软件包。要使用它们，请在终端中用下面的命令安装 Footnote；你的数据会保留。</translation>
    </message>
    <message>
        <source>Installing…</source>
        <translation>正在安装…</translation>
    </message>
    <message>
        <source>Downloading a package: {done} of {total}</source>
        <translation>正在下载软件包：{done} / {total}</translation>
    </message>
</context>
<context>
    <name>LocalCard</name>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>A model that Footnote downloads and runs. It sends nothing to anybody.</source>
        <translation>由 Footnote 下载并运行的模型，不会向任何人发送任何内容。</translation>
    </message>
    <message>
        <source>Ollama, LM Studio and llama.cpp are found when they run.</source>
        <translation>正在运行的 Ollama、LM Studio 和 llama.cpp 会被自动找到。</translation>
    </message>
    <message>
        <source>None is running now.</source>
        <translation>目前没有正在运行的。</translation>
    </message>
</context>
<context>
    <name>LocalModelPanel</name>
    <message>
        <source>Add a GGUF file…</source>
        <translation>添加 GGUF 文件…</translation>
    </message>
    <message>
        <source>Or drop one here. It stays where it is.</source>
        <translation>也可以拖放到这里。文件留在原处。</translation>
    </message>
    <message>
        <source>A model in the GGUF format</source>
        <translation>GGUF 格式的模型</translation>
    </message>
</context>
<context>
    <name>LocalModelRow</name>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Download {model}</source>
        <translation>下载 {model}</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete {model}</source>
        <translation>删除 {model}</translation>
    </message>
    <message>
        <source>Delete it and free {size} of the disk?</source>
        <translation>删除它并释放 {size} 磁盘空间？</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Pause the download of {model}</source>
        <translation>暂停下载 {model}</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Resume the download of {model}</source>
        <translation>继续下载 {model}</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Use {model} for new questions</source>
        <translation>新问题使用 {model}</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Keep {model}</source>
        <translation>保留 {model}</translation>
    </message>
    <message>
        <source>Cancel the download of {model}</source>
        <translation>取消下载 {model}</translation>
    </message>
    <message>
        <source>Take {model} from the list; its file stays</source>
        <translation>从列表中移除 {model}，文件保留</translation>
    </message>
    <message>
        <source>about {size} of memory</source>
        <translation>约占内存 {size}</translation>
    </message>
    <message>
        <source>{size} on this computer</source>
        <translation>已在这台电脑上，{size}</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>需下载 {size}</translation>
    </message>
    <message>
        <source>paused at {done} of {size}</source>
        <translation>已暂停，{done} / {size}</translation>
    </message>
    <message>
        <source>English, Chinese and more</source>
        <translation>中文、英文等</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>Checking that it arrived whole…</source>
        <translation>正在校验文件是否完整…</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
</context>
<context>
    <name>LocalOnlySwitch</name>
    <message>
        <source>Nothing of this conversation leaves this machine: no web, no tools, only models that run here</source>
        <translation>这个对话的内容不会离开本机：不上网、不用工具，只用在本机运行的模型</translation>
    </message>
    <message>
        <source>Keep this conversation on this machine</source>
        <translation>让这个对话只留在本机</translation>
    </message>
    <message>
        <source>Only here</source>
        <translation>仅本机</translation>
    </message>
</context>
<context>
    <name>LogModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>LogWindow</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Find in the log</source>
        <translation>在日志中查找</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>From Info on</source>
        <translation>信息及以上</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>How much</source>
        <translation>显示范围</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随最新</translation>
    </message>
    <message>
        <source>The whole entry</source>
        <translation>完整条目</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Keys are masked in it. What you ask may be in errors.</source>
        <translation>其中的密钥已遮盖。错误信息里可能有你的提问内容。</translation>
    </message>
</context>
<context>
    <name>LoginRow</name>
    <message>
        <source>It waits in the tray, where there is one.</source>
        <translation>有托盘时，它会在托盘中等候。</translation>
    </message>
</context>
<context>
    <name>McpServerCard</name>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>On</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Sign out</source>
        <translation>退出登录</translation>
    </message>
    <message>
        <source>Use {server}</source>
        <translation>使用 {server}</translation>
    </message>
    <message>
        <source>Test {server}</source>
        <translation>测试 {server}</translation>
    </message>
    <message>
        <source>Change {server}</source>
        <translation>更改 {server}</translation>
    </message>
    <message>
        <source>Remove {server}</source>
        <translation>移除 {server}</translation>
    </message>
    <message>
        <source>Tools ({count}): {names}</source>
        <translation>工具（{count}）：{names}</translation>
    </message>
    <message>
        <source>Prompts ({count}): {names}</source>
        <translation>提示词（{count}）：{names}</translation>
    </message>
    <message>
        <source>Resources ({count}): {names}</source>
        <translation>资源（{count}）：{names}</translation>
    </message>
    <message>
        <source>Go on in your browser. It comes back here by itself.</source>
        <translation>请在浏览器中继续，完成后会自动返回这里。</translation>
    </message>
    <message>
        <source>Open this page to sign in: {address}</source>
        <translation>请打开此页面登录：{address}</translation>
    </message>
    <message>
        <source>Sign in…</source>
        <translation>登录…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>MemoryController</name>
    <message>
        <source>This is remembered already: “{fact}”</source>
        <translation>这一条已经记住了：“{fact}”</translation>
    </message>
    <message>
        <source>Remembered: “{fact}”</source>
        <translation>已记住：“{fact}”</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>For example: I am allergic to peanuts.</source>
        <translation>例如：我对花生过敏。</translation>
    </message>
    <message>
        <source>Something to remember</source>
        <translation>要记住的内容</translation>
    </message>
    <message>
        <source>Remember</source>
        <translation>记住</translation>
    </message>
    <message>
        <source>Find a memory</source>
        <translation>查找记忆</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>For whom</source>
        <translation>用于谁</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>忘记</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Nothing is remembered yet. Write down what every conversation should know, or type “/remember” and the fact where you ask questions. Models may propose facts; you decide.</source>
        <translation>还没有记住任何内容。可以在这里写下每个对话都该知道的事，或在提问处输入“/记住”加上内容。模型也可以提出要记住的内容，由你决定。</translation>
    </message>
    <message>
        <source>No memory has these words.</source>
        <translation>没有包含这些文字的记忆。</translation>
    </message>
    <message>
        <source>For all assistants</source>
        <translation>用于所有助手</translation>
    </message>
    <message>
        <source>Forgotten</source>
        <translation>已忘记</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Import memories</source>
        <translation>导入记忆</translation>
    </message>
    <message>
        <source>Export memories</source>
        <translation>导出记忆</translation>
    </message>
    <message>
        <source>Memories (*.jsonl)</source>
        <translation>记忆 (*.jsonl)</translation>
    </message>
    <message>
        <source>New or newer memories: {count}</source>
        <translation>新增或更新的记忆：{count} 条</translation>
    </message>
    <message>
        <source>Memories written to the file: {count}</source>
        <translation>已写入文件的记忆：{count} 条</translation>
    </message>
</context>
<context>
    <name>MemorySwitch</name>
    <message>
        <source>Memory: on in this conversation</source>
        <translation>记忆：在此对话中开启</translation>
    </message>
    <message>
        <source>Memory: off in this conversation</source>
        <translation>记忆：在此对话中关闭</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Quote in your question</source>
        <translation>在提问中引用</translation>
    </message>
    <message>
        <source>Remember this</source>
        <translation>记住这句话</translation>
    </message>
    <message>
        <source>Copy question</source>
        <translation>复制问题</translation>
    </message>
    <message>
        <source>Edit and ask again</source>
        <translation>编辑后重新提问</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>Answer again with another model…</source>
        <translation>换个模型重新回答…</translation>
    </message>
    <message>
        <source>Remember this question</source>
        <translation>记住这个问题</translation>
    </message>
    <message>
        <source>New conversation from here</source>
        <translation>从这里开始新对话</translation>
    </message>
    <message>
        <source>Delete question and answer</source>
        <translation>删除问题和回答</translation>
    </message>
    <message>
        <source>Delete with all that follows</source>
        <translation>连同后面的内容一起删除</translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Copy or save as…</source>
        <translation>复制或另存为…</translation>
    </message>
    <message>
        <source>Continue this answer</source>
        <translation>继续这个回答</translation>
    </message>
    <message>
        <source>Quote answer in your question</source>
        <translation>在提问中引用这个回答</translation>
    </message>
    <message>
        <source>How it came by its sources</source>
        <translation>来源是怎么找到的</translation>
    </message>
    <message>
        <source>Delete answer</source>
        <translation>删除回答</translation>
    </message>
</context>
<context>
    <name>ModeSwitch</name>
    <message>
        <source>Research</source>
        <translation>研究</translation>
    </message>
    <message>
        <source>Research: off</source>
        <translation>研究：关闭</translation>
    </message>
    <message>
        <source>{depth} research</source>
        <translation>{depth}研究</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Let me see the plan first</source>
        <translation>先让我看计划</translation>
    </message>
</context>
<context>
    <name>ModelChoice</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
</context>
<context>
    <name>ModelDownload</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
</context>
<context>
    <name>ModelEditor</name>
    <message>
        <source>As found out</source>
        <translation>恢复查到的值</translation>
    </message>
    <message>
        <source>Forget what was set by hand</source>
        <translation>清除手动设置的内容</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 词元</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source>Price of a million tokens sent</source>
        <translation>每百万输入词元的价格</translation>
    </message>
    <message>
        <source>Price of a million tokens written</source>
        <translation>每百万输出词元的价格</translation>
    </message>
    <message>
        <source>Currency</source>
        <translation>货币</translation>
    </message>
    <message>
        <source>Per million, in and out</source>
        <translation>每百万词元，输入与输出</translation>
    </message>
</context>
<context>
    <name>ModelList</name>
    <message>
        <source>Find a model</source>
        <translation>查找模型</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
</context>
<context>
    <name>ModelMenu</name>
    <message>
        <source>Set up models…</source>
        <translation>设置模型…</translation>
    </message>
</context>
<context>
    <name>ModelPanel</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Its server says nothing of it.</source>
        <translation>服务器没有提供它的信息。</translation>
    </message>
    <message>
        <source>What its models can do and cost: {count}</source>
        <translation>各模型的能力与价格：{count} 个</translation>
    </message>
</context>
<context>
    <name>ModelPicker</name>
    <message>
        <source>Add a model…</source>
        <translation>添加模型…</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Cancel the download of {model}</source>
        <translation>取消下载 {model}</translation>
    </message>
    <message>
        <source>Download {model}</source>
        <translation>下载 {model}</translation>
    </message>
    <message>
        <source>Remove {model}</source>
        <translation>移除 {model}</translation>
    </message>
    <message>
        <source>{count} dimensions</source>
        <translation>{count} 维</translation>
    </message>
    <message>
        <source>reads {count} tokens</source>
        <translation>可读 {count} 个词元</translation>
    </message>
    <message>
        <source>{languages} and {count} more</source>
        <translation>{languages} 等，另有 {count} 种</translation>
    </message>
    <message>
        <source>many languages</source>
        <translation>多种语言</translation>
    </message>
    <message>
        <source>your own server</source>
        <translation>你自己的服务器</translation>
    </message>
    <message>
        <source>comes with Footnote</source>
        <translation>随 Footnote 提供</translation>
    </message>
    <message>
        <source>{size} on this computer</source>
        <translation>已在本机，{size}</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>已在本机</translation>
    </message>
    <message>
        <source>{size} to download</source>
        <translation>需下载 {size}</translation>
    </message>
    <message>
        <source>not on this computer</source>
        <translation>不在本机</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done}，共 {total}</translation>
    </message>
</context>
<context>
    <name>ModelSwitch</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>并排比较…</translation>
    </message>
</context>
<context>
    <name>NotePage</name>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Title of the note</source>
        <translation>笔记的标题</translation>
    </message>
    <message>
        <source>Write or paste what is to be found again. Markdown is understood.</source>
        <translation>写下或粘贴日后要查找的内容，支持 Markdown。</translation>
    </message>
    <message>
        <source>Text of the note</source>
        <translation>笔记的正文</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新笔记</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>NotificationRow</name>
    <message>
        <source>Show a note now</source>
        <translation>现在显示一条通知</translation>
    </message>
    <message>
        <source>It should be on the screen now. Click on it.</source>
        <translation>现在屏幕上应有一条通知，请点它一下。</translation>
    </message>
    <message>
        <source>This is how you are told.</source>
        <translation>通知就是这个样子。</translation>
    </message>
    <message>
        <source>That works: a click leads to what a note is about.</source>
        <translation>可用：点通知就会打开对应的内容。</translation>
    </message>
    <message>
        <source>It was put away.</source>
        <translation>通知已关闭。</translation>
    </message>
    <message>
        <source>This desktop shows none. The icon in the tray does, where there is one.</source>
        <translation>此桌面不显示通知；有托盘图标时由它来显示。</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>The answer is there.</source>
        <translation>回答已完成。</translation>
    </message>
    <message>
        <source>The answer broke off. {reason}</source>
        <translation>回答中断了。{reason}</translation>
    </message>
    <message>
        <source>“{tool}” asks before it runs.</source>
        <translation>“{tool}”运行前征求你的同意。</translation>
    </message>
    <message>
        <source>Added to “{base}”: {count}</source>
        <translation>已添加到“{base}”：{count}</translation>
    </message>
    <message>
        <source>Not added: {count}</source>
        <translation>未添加：{count}</translation>
    </message>
</context>
<context>
    <name>OptionalChoices</name>
    <message>
        <source>None is set up yet</source>
        <translation>还没有设置</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>OptionalFloat</name>
    <message>
        <source>As the model likes</source>
        <translation>由模型决定</translation>
    </message>
</context>
<context>
    <name>OptionalInt</name>
    <message>
        <source>As in the settings</source>
        <translation>同设置</translation>
    </message>
</context>
<context>
    <name>OptionsPage</name>
    <message>
        <source>As in the settings</source>
        <translation>与设置相同</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Turns passages into meaning. After a change the base is read by the new model in the background; until then the old one answers, and you can go on asking.</source>
        <translation>把段落转换为语义。更换后，新模型在后台读取知识库；在此之前由旧模型回答，你可以继续提问。</translation>
    </message>
    <message>
        <source>Length of a passage</source>
        <translation>段落长度</translation>
    </message>
    <message>
        <source>In tokens of the model. It counts for what is read from now on; “Read everything again” applies it to the rest.</source>
        <translation>以模型的词元计。对此后读取的内容生效；用“全部重新读取”可应用到其余内容。</translation>
    </message>
    <message>
        <source>Passages for a question</source>
        <translation>每个问题的段落数</translation>
    </message>
    <message>
        <source>How many passages of this base a question is given at most.</source>
        <translation>每个问题最多采用此知识库中的多少个段落。</translation>
    </message>
    <message>
        <source>Least score</source>
        <translation>最低分数</translation>
    </message>
    <message>
        <source>What the reranker must give a passage for it to be used, from 0 to 1. Without a reranker it has no effect.</source>
        <translation>重排序模型给出的分数（0 到 1）达到此值的段落才会采用。没有重排序模型时不起作用。</translation>
    </message>
    <message>
        <source>Least relevance</source>
        <translation>相关度下限</translation>
    </message>
    <message>
        <source>Without a reranker: what a passage must reach, as a share of the best score. Where the files do not seem to say anything on a question, none is given. With 0 all that is found is given.</source>
        <translation>没有重排序模型时：段落的分数至少要达到最高分的这一比例。如果文件似乎没有提到问题的内容，则一段也不提供。设为 0 时提供找到的全部段落。</translation>
    </message>
    <message>
        <source>Where the index is kept</source>
        <translation>索引的存放位置</translation>
    </message>
    <message>
        <source>On this machine, or on a Chroma server that is set up under Settings, Knowledge.</source>
        <translation>存放在本机，或在“设置”的“知识库”中配置的 Chroma 服务器上。</translation>
    </message>
    <message>
        <source>Settings of “{base}”</source>
        <translation>“{base}”的设置</translation>
    </message>
    <message>
        <source>“{new}” is reading the base; “{old}” answers until it is through.</source>
        <translation>“{new}”正在读取知识库；完成之前由“{old}”回答。</translation>
    </message>
    <message>
        <source>As in the settings: {name}</source>
        <translation>与设置相同：{name}</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
</context>
<context>
    <name>OrganizeController</name>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>{count} conversations archived</source>
        <translation>已归档 {count} 个对话</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>{count} conversations deleted</source>
        <translation>已删除 {count} 个对话</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Folder deleted</source>
        <translation>文件夹已删除</translation>
    </message>
    <message>
        <source>Folder deleted with its conversations</source>
        <translation>文件夹及其中的对话已删除</translation>
    </message>
</context>
<context>
    <name>PassageModel</name>
    <message>
        <source>Passage {number}</source>
        <translation>段落 {number}</translation>
    </message>
    <message>
        <source>page {page}</source>
        <translation>第 {page} 页</translation>
    </message>
    <message>
        <source>meaning still to come</source>
        <translation>语义待处理</translation>
    </message>
</context>
<context>
    <name>PassagesPage</name>
    <message>
        <source>Loading the passages…</source>
        <translation>正在载入段落…</translation>
    </message>
    <message>
        <source>Find in the passages</source>
        <translation>在段落中查找</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>The whole passage</source>
        <translation>完整段落</translation>
    </message>
    <message>
        <source>Open at this place</source>
        <translation>在此处打开</translation>
    </message>
    <message>
        <source>{shown} of {total}</source>
        <translation>共 {total} 个，显示 {shown} 个</translation>
    </message>
    <message>
        <source>Passages: {total}</source>
        <translation>共 {total} 个段落</translation>
    </message>
    <message>
        <source>The file is too long: only its beginning was read.</source>
        <translation>文件过长，只读取了开头部分。</translation>
    </message>
    <message>
        <source>Nothing was read of it yet, so there are no passages.</source>
        <translation>尚未读取其内容，因此没有段落。</translation>
    </message>
</context>
<context>
    <name>PastAnswerChip</name>
    <message>
        <source>This answer is not there any more. The question will be sent without it.</source>
        <translation>这个回答已经不在了，发送的问题将不包含它。</translation>
    </message>
    <message>
        <source>Do not cite “{title}”</source>
        <translation>不引用“{title}”</translation>
    </message>
</context>
<context>
    <name>PastAnswerCompletions</name>
    <message>
        <source>Past answers</source>
        <translation>以前的回答</translation>
    </message>
</context>
<context>
    <name>PastAnswerController</name>
    <message>
        <source>What you cite stays on this machine, so this conversation does, too.</source>
        <translation>你引用的内容只留在本机，所以这个对话也只留在本机。</translation>
    </message>
</context>
<context>
    <name>PasteController</name>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文字</translation>
    </message>
    <message>
        <source>The long text is attached as a file: what bears on your question is read from it.</source>
        <translation>长文字已作为文件附上：只读取与问题有关的部分。</translation>
    </message>
    <message>
        <source>Put it into the message</source>
        <translation>放进消息里</translation>
    </message>
</context>
<context>
    <name>PasteDialog</name>
    <message>
        <source>Paste a configuration</source>
        <translation>粘贴配置</translation>
    </message>
    <message>
        <source>The JSON with “mcpServers” that other programs and the pages of tool servers use. Keys and tokens in it go to the keyring.</source>
        <translation>其他程序和工具服务器的网页所用的带有“mcpServers”的 JSON。其中的密钥和令牌会存入钥匙串。</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
</context>
<context>
    <name>ProgressButton</name>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>PromptDialog</name>
    <message>
        <source>Insert</source>
        <translation>插入</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>PromptsPanel</name>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Begin with a few</source>
        <translation>先来几个</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>For example: Explain {blank} to somebody who has never heard of it.</source>
        <translation>例如：向从没听说过的人解释{blank}。</translation>
    </message>
    <message>
        <source>No prompts yet. Write down what you type often; a “/” in the field for questions offers it. With {blank} in it the cursor waits there for the topic, and Tab leads to the next blank.</source>
        <translation>还没有提示词。把常用的话写下来，在输入框里键入“/”就能选用。写上 {blank}，光标就会停在那里等你填写，按 Tab 到下一处空白。</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新提示词</translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation>已删除“{name}”。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>ProviderCard</name>
    <message>
        <source>On</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Only for servers that list none</source>
        <translation>仅当服务器不列出模型时填写</translation>
    </message>
    <message>
        <source>Several keys, with spaces or commas between them: the next one is used when one is refused.</source>
        <translation>可填多个密钥，用空格或逗号分隔：一个被拒绝时改用下一个。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Works, but lists no models. Name them under Models.</source>
        <translation>可以连接，但没有列出模型。请在“模型”中填写名称。</translation>
    </message>
    <message>
        <source>Works. {models} and {count} more</source>
        <translation>连接成功：{models} 等，另有 {count} 个</translation>
    </message>
    <message>
        <source>Works. {models}</source>
        <translation>连接成功：{models}</translation>
    </message>
</context>
<context>
    <name>ProviderList</name>
    <message>
        <source>There is none yet: Quotes answers, with sentences out of what was found. For answers in the words of a model add a provider and its key, or start Ollama, LM Studio or llama.cpp, which are found by themselves.</source>
        <translation>还没有服务商：现在由“摘句”用找到的原句作答。想让模型用自己的话回答，请添加服务商并填写密钥，或启动 Ollama、LM Studio 或 llama.cpp，它们会自动被找到。</translation>
    </message>
    <message>
        <source>Add a provider</source>
        <translation>添加服务商</translation>
    </message>
    <message>
        <source>{provider} is running on this machine.</source>
        <translation>{provider} 正在本机运行。</translation>
    </message>
    <message>
        <source>Use {provider}</source>
        <translation>使用 {provider}</translation>
    </message>
    <message>
        <source>Other server</source>
        <translation>其他服务器</translation>
    </message>
    <message>
        <source>Other server (OpenAI-compatible)</source>
        <translation>其他服务器（兼容 OpenAI）</translation>
    </message>
</context>
<context>
    <name>ProxyField</name>
    <message>
        <source>As the system says</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>None</source>
        <translation>不使用</translation>
    </message>
    <message>
        <source>This one:</source>
        <translation>使用此代理：</translation>
    </message>
    <message>
        <source>Address of the proxy for: {part}</source>
        <translation>代理地址：{part}</translation>
    </message>
</context>
<context>
    <name>QueryList</name>
    <message>
        <source>Queries</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>Add a query</source>
        <translation>添加查询</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
</context>
<context>
    <name>QuickKeyRow</name>
    <message>
        <source>Works in every program: ask something without leaving what you are doing.</source>
        <translation>在任何程序中都有效：无需离开手头的工作即可提问。</translation>
    </message>
    <message>
        <source>Press it now to try it.</source>
        <translation>现在按下它试试。</translation>
    </message>
</context>
<context>
    <name>QuickWindow</name>
    <message>
        <source>Quick question</source>
        <translation>快速提问</translation>
    </message>
    <message>
        <source>Go on in the window</source>
        <translation>在主窗口中继续</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Folders cannot be attached here.</source>
        <translation>此处不能附加文件夹。</translation>
    </message>
</context>
<context>
    <name>QuotesCard</name>
    <message>
        <source>Just start</source>
        <translation>直接开始</translation>
    </message>
    <message>
        <source>Quotes answers with sentences of your sources, word for word. No key, no account; without a network it answers from your files.</source>
        <translation>“摘句”用来源中的原句逐字作答。无需密钥和账号；没有网络时从你的文件中作答。</translation>
    </message>
    <message>
        <source>Start with Quotes</source>
        <translation>用“摘句”开始</translation>
    </message>
</context>
<context>
    <name>RecordCard</name>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>选择文件夹</translation>
    </message>
    <message>
        <source>The address has to begin with https:// or http://.</source>
        <translation>地址必须以 https:// 或 http:// 开头。</translation>
    </message>
    <message>
        <source>“{text}” is not a number up to {most}.</source>
        <translation>“{text}”不是不超过 {most} 的数字。</translation>
    </message>
</context>
<context>
    <name>ReleaseNotesDialog</name>
    <message>
        <source>What is new</source>
        <translation>新功能</translation>
    </message>
    <message>
        <source>What is new in Footnote {version}</source>
        <translation>Footnote {version} 的新功能</translation>
    </message>
    <message>
        <source>Command that updates Footnote</source>
        <translation>更新 Footnote 的命令</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Look for no newer versions</source>
        <translation>不再检查新版本</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>打开网页</translation>
    </message>
    <message>
        <source>Footnote {version} is there</source>
        <translation>Footnote {version} 已发布</translation>
    </message>
    <message>
        <source>It is of {day}. You have {version}. Nothing is downloaded or installed by itself.</source>
        <translation>发布于{day}。你使用的是 {version}。不会自动下载或安装任何内容。</translation>
    </message>
    <message>
        <source>Its page says what is new.</source>
        <translation>网页上有新功能的说明。</translation>
    </message>
    <message>
        <source>You had {version} before. This is what has changed since.</source>
        <translation>之前的版本是 {version}。以下是此后的变化。</translation>
    </message>
    <message>
        <source>The changelog says nothing about this version.</source>
        <translation>更新日志中没有关于此版本的内容。</translation>
    </message>
    <message>
        <source>Before a new version first changed how your data is stored, it made a copy of it and checked the copy: {moment}. It is in Settings, Data.</source>
        <translation>新版本第一次改变数据的存储方式之前，已为数据制作副本并检查过该副本：{moment}。它在“设置”的“数据”页中。</translation>
    </message>
    <message>
        <source>If a new version changes how your data is stored, it first makes a copy and checks it. The newest copy is of {moment}; all of them are in Settings, Data.</source>
        <translation>如果新版本要改变数据的存储方式，会先制作副本并检查。最新的副本制作于 {moment}；所有副本都在“设置”的“数据”页中。</translation>
    </message>
    <message>
        <source>Footnote checks no more. Settings, Program, turns it on again.</source>
        <translation>不再检查新版本。可在“设置”的“程序”页中重新打开。</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Keys are not in it, nor the name of your folder. Read it, and take out what nobody needs to know: addresses of servers and errors are in it as they are.</source>
        <translation>其中没有密钥，也没有你的文件夹名称。请先阅读，删去不必让人知道的内容：服务器地址和错误信息会原样列出。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>RerankerOffer</name>
    <message>
        <source>“{base}” has {count} passages. A reranker puts those that answer a question first: {models}. What each of them gains was not measured by Footnote.</source>
        <translation>“{base}”有 {count} 个段落。重排模型会把能回答问题的段落排在前面：{models}。Footnote 没有测量过它们各自的效果。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>Choose one</source>
        <translation>选择一个</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>{name} ({facts})</source>
        <translation>{name}（{facts}）</translation>
    </message>
</context>
<context>
    <name>RestoreDialog</name>
    <message>
        <source>Copy of {moment}</source>
        <translation>{moment} 的副本</translation>
    </message>
    <message>
        <source>Bring back what is ticked; everything that is here stays</source>
        <translation>取回勾选的内容；现有内容全部保留</translation>
    </message>
    <message>
        <source>Make everything what it was then</source>
        <translation>全部恢复到当时的状态</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>取回</translation>
    </message>
    <message>
        <source>Replace everything</source>
        <translation>全部替换</translation>
    </message>
    <message>
        <source>Use the settings in it</source>
        <translation>使用其中的设置</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Looking what is in it…</source>
        <translation>正在查看内容…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Knowledge bases: {names}. They take the place of those that are here, of which a copy is made.</source>
        <translation>知识库：{names}。它们将取代现有的知识库；会先为现有的做一份副本。</translation>
    </message>
    <message>
        <source>Conversations: {count}; not here: {missing}. Memories: {memories}.</source>
        <translation>{count} 个对话，其中 {missing} 个这里没有；{memories} 条记忆。</translation>
    </message>
    <message>
        <source>Conversations that are here but not in it: {count}. They go; a copy of everything as it is now is made before.</source>
        <translation>这里有 {count} 个对话不在副本中，它们将被移除；替换前会先把现在的全部内容做成副本。</translation>
    </message>
    <message>
        <source>Everything in it is here. Older states come in beside what is here.</source>
        <translation>其中的内容这里都有。较旧的状态会作为另一份放在旁边。</translation>
    </message>
    <message>
        <source>Everything is what it was then.</source>
        <translation>一切已恢复到当时的状态。</translation>
    </message>
    <message>
        <source>Conversations that came back: {count}. Memories: {memories}.</source>
        <translation>已取回对话：{count} 个，记忆：{memories} 条。</translation>
    </message>
</context>
<context>
    <name>ScopeMenu</name>
    <message>
        <source>No knowledge base yet</source>
        <translation>还没有知识库</translation>
    </message>
    <message>
        <source>Look into none</source>
        <translation>不查任何知识库</translation>
    </message>
    <message>
        <source>Manage knowledge…</source>
        <translation>管理知识库…</translation>
    </message>
</context>
<context>
    <name>ScopeTree</name>
    <message>
        <source>Find a base, a file or a tag</source>
        <translation>查找知识库、文件或标签</translation>
    </message>
    <message>
        <source>Knowledge bases and their files</source>
        <translation>知识库及其文件</translation>
    </message>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>{count} more: type a part of their names</source>
        <translation>另有 {count} 个：输入名称的一部分即可查找</translation>
    </message>
</context>
<context>
    <name>SearchList</name>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Nothing is called that. Try another word, in English or Chinese.</source>
        <translation>没有找到。换一个词试试，中文或英文都可以。</translation>
    </message>
</context>
<context>
    <name>SearchTestModel</name>
    <message>
        <source>Passage</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>词</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>语义</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Judged</source>
        <translation>重排序</translation>
    </message>
    <message>
        <source>What becomes of it</source>
        <translation>去向</translation>
    </message>
    <message>
        <source>How well the words fit (BM25); higher is better</source>
        <translation>词的匹配程度（BM25），越高越好</translation>
    </message>
    <message>
        <source>How near the meaning is (cosine); 1 is the same</source>
        <translation>语义的接近程度（余弦），1 为相同</translation>
    </message>
    <message>
        <source>Both searches put together; only the order matters</source>
        <translation>两种检索的合并结果，只有顺序有意义</translation>
    </message>
    <message>
        <source>What the reranker gives it, from 0 to 1</source>
        <translation>重排序模型给出的分数，0 到 1</translation>
    </message>
</context>
<context>
    <name>SearchTestPage</name>
    <message>
        <source>A question, as you would ask it in a conversation</source>
        <translation>像在对话中那样提一个问题</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>检索</translation>
    </message>
    <message>
        <source>Passages that were found</source>
        <translation>找到的段落</translation>
    </message>
    <message>
        <source>The whole passage</source>
        <translation>完整段落</translation>
    </message>
    <message>
        <source>Test the search in “{base}”</source>
        <translation>测试“{base}”的检索</translation>
    </message>
    <message>
        <source>Nothing was found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Try other words, or look whether the files are read.</source>
        <translation>换个说法，或看看文件是否已读取。</translation>
    </message>
    <message>
        <source>See how passages are found</source>
        <translation>看看段落是如何找到的</translation>
    </message>
    <message>
        <source>Ask what you would ask in a conversation: each passage shows how well its words and its meaning fit, and why it would be given to the model or left out.</source>
        <translation>提一个你会在对话中提的问题：每个段落都会显示词与语义的匹配程度，以及它为何会交给模型或被舍弃。</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>page {page}</source>
        <translation>第 {page} 页</translation>
    </message>
</context>
<context>
    <name>SecretField</name>
    <message>
        <source>A key is kept. Type to replace it</source>
        <translation>已保存密钥，输入可替换</translation>
    </message>
    <message>
        <source>Paste the key here, or several</source>
        <translation>在此粘贴密钥，可以是多个</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Paste it here</source>
        <translation>粘贴到此处</translation>
    </message>
    <message>
        <source>Name and password are kept. Type to replace them</source>
        <translation>已保存用户名和密码。输入即可替换</translation>
    </message>
    <message>
        <source>name:password</source>
        <translation>用户名:密码</translation>
    </message>
    <message>
        <source>Name and password</source>
        <translation>用户名和密码</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>SecretVariables</name>
    <message>
        <source>Add a secret variable</source>
        <translation>添加机密变量</translation>
    </message>
</context>
<context>
    <name>ServerDialog</name>
    <message>
        <source>Add a tool server</source>
        <translation>添加工具服务器</translation>
    </message>
    <message>
        <source>Change the tool server</source>
        <translation>更改工具服务器</translation>
    </message>
    <message>
        <source>A program on this machine</source>
        <translation>本机上的程序</translation>
    </message>
    <message>
        <source>An address</source>
        <translation>网络地址</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>It is</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>Secret variables</source>
        <translation>机密变量</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Longest call</source>
        <translation>最长调用时间</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Started without a shell: $, *, | and &gt; mean nothing special.</source>
        <translation>不经过 shell 启动：$、*、| 和 &gt; 没有特殊含义。</translation>
    </message>
    <message>
        <source>Starts: {words}</source>
        <translation>启动：{words}</translation>
    </message>
    <message>
        <source>There is a tool server with this name already.</source>
        <translation>已有同名的工具服务器。</translation>
    </message>
</context>
<context>
    <name>ServerList</name>
    <message>
        <source>Add a tool server…</source>
        <translation>添加工具服务器…</translation>
    </message>
    <message>
        <source>Paste a configuration…</source>
        <translation>粘贴配置…</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>There is none yet. A tool server lets models do more than search: read your calendar, your notes, a database. Paste what its page says, or type the command that starts it.</source>
        <translation>还没有工具服务器。工具服务器让模型不只能搜索：还能读取你的日历、笔记或数据库。粘贴其网页上的配置，或输入启动它的命令。</translation>
    </message>
    <message>
        <source>“{server}” was removed.</source>
        <translation>“{server}”已移除。</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
</context>
<context>
    <name>ShortcutField</name>
    <message>
        <source>Press keys</source>
        <translation>请按下按键</translation>
    </message>
</context>
<context>
    <name>ShortcutRow</name>
    <message>
        <source>Back to the usual keys</source>
        <translation>恢复默认按键</translation>
    </message>
    <message>
        <source>{keys} belongs to “{action}” now.</source>
        <translation>{keys} 现在属于“{action}”。</translation>
    </message>
    <message>
        <source>{keys} is needed for typing and for lists. Take it together with Ctrl or Alt.</source>
        <translation>{keys} 要用于输入和列表。请和 Ctrl 或 Alt 一起使用。</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>通用</translation>
    </message>
    <message>
        <source>In the list of conversations</source>
        <translation>在对话列表中</translation>
    </message>
    <message>
        <source>Change keys…</source>
        <translation>更改按键…</translation>
    </message>
    <message>
        <source>Esc closes this sheet.</source>
        <translation>按 Esc 关闭。</translation>
    </message>
</context>
<context>
    <name>SidePage</name>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Find a title</source>
        <translation>查找标题</translation>
    </message>
    <message>
        <source>Find a conversation</source>
        <translation>查找对话</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>No conversation is like this.</source>
        <translation>没有这样的对话。</translation>
    </message>
    <message>
        <source>Your conversations will be here. Begin with a question on the right; F1 shows all keys.</source>
        <translation>你的对话会显示在这里。请在右侧提出第一个问题；按 F1 查看所有按键。</translation>
    </message>
</context>
<context>
    <name>SourceViewer</name>
    <message>
        <source>page {page}</source>
        <translation>第 {page} 页</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>正在打开…</translation>
    </message>
    <message>
        <source>Back to the passage</source>
        <translation>回到引用段落</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Open in the system&apos;s program</source>
        <translation>用系统程序打开</translation>
    </message>
    <message>
        <source>The passage could not be found on the page; it may be part of a picture.</source>
        <translation>在这一页上没有找到该段落，它可能是图片的一部分。</translation>
    </message>
    <message>
        <source>The file is no longer at {folder}. This is the passage as it was read on {day}.</source>
        <translation>文件已不在 {folder}。这是 {day} 读取时的段落。</translation>
    </message>
    <message>
        <source>The file has changed since. This is the passage as it was read on {day}.</source>
        <translation>文件此后已更改。这是 {day} 读取时的段落。</translation>
    </message>
    <message>
        <source>The file cannot be shown here. This is the passage as it was read on {day}.</source>
        <translation>文件无法在此显示。这是 {day} 读取时的段落。</translation>
    </message>
    <message>
        <source>The file is very long: only the part around the passage is shown.</source>
        <translation>文件很长，只显示该段落附近的部分。</translation>
    </message>
</context>
<context>
    <name>StandingApprovals</name>
    <message>
        <source>You have not said anything for always yet.</source>
        <translation>你还没有给过长期有效的回答。</translation>
    </message>
    <message>
        <source>always allowed</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>never allowed</source>
        <translation>永不允许</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>恢复询问</translation>
    </message>
    <message>
        <source>Ask again for {tool}</source>
        <translation>{tool} 再次询问</translation>
    </message>
</context>
<context>
    <name>StyleEditor</name>
    <message>
        <source>Line {line} is left out: it would load something.</source>
        <translation>第 {line} 行未使用：它会加载外部内容。</translation>
    </message>
    <message>
        <source>Line {line} is left out: rules with this @ are not used here.</source>
        <translation>第 {line} 行未使用：这里不支持这种 @ 规则。</translation>
    </message>
    <message>
        <source>Line {line} is left out: it is not complete CSS.</source>
        <translation>第 {line} 行未使用：CSS 不完整。</translation>
    </message>
    <message>
        <source>This is too long to be used.</source>
        <translation>太长了，无法使用。</translation>
    </message>
</context>
<context>
    <name>SummaryBar</name>
    <message>
        <source>{count} failed: show</source>
        <translation>{count} 项失败：显示</translation>
    </message>
    <message>
        <source>Try all again</source>
        <translation>全部重试</translation>
    </message>
    <message>
        <source>Go on reading</source>
        <translation>继续读取</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>{read} of {total} read, {waiting} waiting</source>
        <translation>已读取 {read} / {total}，等待 {waiting}</translation>
    </message>
    <message>
        <source>1 item</source>
        <translation>1 个条目</translation>
    </message>
    <message>
        <source>{total} items</source>
        <translation>{total} 个条目</translation>
    </message>
    <message>
        <source>{count} found by words so far</source>
        <translation>{count} 项目前可按词检索</translation>
    </message>
    <message>
        <source>{shown} shown</source>
        <translation>显示 {shown}</translation>
    </message>
</context>
<context>
    <name>TagMenu</name>
    <message>
        <source>New tag…</source>
        <translation>新标签…</translation>
    </message>
    <message>
        <source>New tag</source>
        <translation>新标签</translation>
    </message>
    <message>
        <source>Tags, with commas between them</source>
        <translation>标签，用逗号分隔</translation>
    </message>
</context>
<context>
    <name>TestButton</name>
    <message>
        <source>One moment…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
</context>
<context>
    <name>TraceModel</name>
    <message>
        <source>What became of it</source>
        <translation>处理结果</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>费用</translation>
    </message>
</context>
<context>
    <name>TransferBar</name>
    <message>
        <source>Export “{base}”</source>
        <translation>导出“{base}”</translation>
    </message>
    <message>
        <source>Import a knowledge base</source>
        <translation>导入知识库</translation>
    </message>
    <message>
        <source>Exporting “{base}”</source>
        <translation>正在导出“{base}”</translation>
    </message>
    <message>
        <source>Importing “{file}”</source>
        <translation>正在导入“{file}”</translation>
    </message>
    <message>
        <source>Knowledge bases (*{suffix})</source>
        <translation>知识库 (*{suffix})</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>TransferDialog</name>
    <message>
        <source>Everything is as it was before.</source>
        <translation>一切已恢复原样。</translation>
    </message>
</context>
<context>
    <name>TransferPanel</name>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export everything…</source>
        <translation>导出全部…</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Export everything</source>
        <translation>导出全部</translation>
    </message>
    <message>
        <source>Saved as “{name}”. Keys are not in it.</source>
        <translation>已保存为“{name}”。其中不含密钥。</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Open Footnote</source>
        <translation>打开 Footnote</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Quick question</source>
        <translation>快速提问</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
</context>
<context>
    <name>UnsavedSecretField</name>
    <message>
        <source>Kept. Type to replace it</source>
        <translation>已保存。输入即可替换</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Only if the server gave you one</source>
        <translation>仅当服务器给过你令牌时填写</translation>
    </message>
    <message>
        <source>NAME</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name of the secret variable</source>
        <translation>机密变量的名称</translation>
    </message>
    <message>
        <source>Secret value</source>
        <translation>机密值</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>UpdateNotifier</name>
    <message>
        <source>Footnote was updated to {version}.</source>
        <translation>Footnote 已更新到 {version}。</translation>
    </message>
    <message>
        <source>Footnote {version} is there.</source>
        <translation>Footnote {version} 已发布。</translation>
    </message>
    <message>
        <source>What is new</source>
        <translation>新功能</translation>
    </message>
</context>
<context>
    <name>UpdatePanel</name>
    <message>
        <source>Look now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>What is new…</source>
        <translation>新功能…</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Not checked yet.</source>
        <translation>尚未检查。</translation>
    </message>
    <message>
        <source>Version {version} is there.</source>
        <translation>版本 {version} 已发布。</translation>
    </message>
    <message>
        <source>This is the newest version.</source>
        <translation>这是最新版本。</translation>
    </message>
    <message>
        <source>Last asked {moment}.</source>
        <translation>上次询问：{moment}。</translation>
    </message>
</context>
<context>
    <name>ViewerToolbar</name>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Find in the file</source>
        <translation>在文件中查找</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页码</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>放大</translation>
    </message>
</context>
<context>
    <name>WebSwitch</name>
    <message>
        <source>Web search</source>
        <translation>联网搜索</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>The model&apos;s own search</source>
        <translation>模型自带的搜索</translation>
    </message>
    <message>
        <source>One engine: {engine}</source>
        <translation>单个引擎：{engine}</translation>
    </message>
    <message>
        <source>One engine</source>
        <translation>单个引擎</translation>
    </message>
    <message>
        <source>Not set up</source>
        <translation>尚未设置</translation>
    </message>
    <message>
        <source>{engine} (needs a key)</source>
        <translation>{engine}（需要密钥）</translation>
    </message>
    <message>
        <source>{engine} (needs an address)</source>
        <translation>{engine}（需要地址）</translation>
    </message>
    <message>
        <source>Set up search…</source>
        <translation>设置搜索…</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Answers that show their sources</source>
        <translation>每个回答都有出处</translation>
    </message>
    <message>
        <source>Ask a question. Footnote searches the web and your own files, and every claim carries a number: point at it to see the passage it stands on.</source>
        <translation>提一个问题。Footnote 会搜索网络和你自己的文件，每个论断都带有编号：把指针移到编号上，就能看到它所依据的段落。</translation>
    </message>
    <message>
        <source>Look at an example first</source>
        <translation>先看一个示例</translation>
    </message>
</context>
<context>
    <name>WindowOpener</name>
    <message>
        <source>No browser was found, so the web cannot be searched.</source>
        <translation>没有找到浏览器，因此无法搜索网络。</translation>
    </message>
    <message>
        <source>Download one…</source>
        <translation>下载一个…</translation>
    </message>
</context>
<context>
    <name>about_page</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Version {version} · Qt {qt} · PySide {pyside}</source>
        <translation>版本 {version} · Qt {qt} · PySide {pyside}</translation>
    </message>
    <message>
        <source>A chat client whose answers carry their sources.</source>
        <translation>回答自带出处的聊天客户端。</translation>
    </message>
    <message>
        <source>What you ask goes to the model that you pick and to the search engines that you leave on; pages are fetched from their sites, and servers and tools that you add are sent what they need. The page Privacy says what went to whom. Conversations and files are kept on this machine, and elsewhere only where you have them copied.</source>
        <translation>你的问题会发送给你选择的模型和你启用的搜索引擎；网页从各自的网站读取，你添加的服务器和工具会收到它们所需的内容。“隐私”页说明什么发给了谁。对话和文件保存在本机，只有你设置了复制时才会存到别处。</translation>
    </message>
    <message>
        <source>Made with</source>
        <translation>所用组件</translation>
    </message>
    <message>
        <source>Libraries by others, each under its own licence. Footnote is under the MIT licence.</source>
        <translation>其他人开发的库，各自遵循其许可证。Footnote 采用 MIT 许可证。</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>This Footnote is {form}.</source>
        <translation>此 Footnote 的安装方式：{form}。</translation>
    </message>
</context>
<context>
    <name>accent_choice</name>
    <message>
        <source>Blue, as usual</source>
        <translation>蓝色（默认）</translation>
    </message>
    <message>
        <source>Teal</source>
        <translation>青色</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>Amber</source>
        <translation>琥珀色</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>Pink</source>
        <translation>粉色</translation>
    </message>
    <message>
        <source>Violet</source>
        <translation>紫色</translation>
    </message>
    <message>
        <source>Grey</source>
        <translation>灰色</translation>
    </message>
    <message>
        <source>Accent colour</source>
        <translation>强调色</translation>
    </message>
    <message>
        <source>Made lighter or darker where it could not be read.</source>
        <translation>如果看不清，会自动调亮或调暗。</translation>
    </message>
</context>
<context>
    <name>actions</name>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Questions and answers</source>
        <translation>提问与回答</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Stop answering</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>撰写消息</translation>
    </message>
    <message>
        <source>Find in the conversation</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Find a conversation</source>
        <translation>查找对话</translation>
    </message>
    <message>
        <source>Search all messages</source>
        <translation>搜索所有消息</translation>
    </message>
    <message>
        <source>Next conversation</source>
        <translation>下一个对话</translation>
    </message>
    <message>
        <source>Previous conversation</source>
        <translation>上一个对话</translation>
    </message>
    <message>
        <source>Choose an assistant</source>
        <translation>选择助手</translation>
    </message>
    <message>
        <source>Ask several models side by side</source>
        <translation>让多个模型并排回答</translation>
    </message>
    <message>
        <source>Answer the last question again</source>
        <translation>重新回答上一个问题</translation>
    </message>
    <message>
        <source>Edit the last question</source>
        <translation>编辑上一个问题</translation>
    </message>
    <message>
        <source>Turn to the earlier version</source>
        <translation>切换到上一个版本</translation>
    </message>
    <message>
        <source>Turn to the later version</source>
        <translation>切换到下一个版本</translation>
    </message>
    <message>
        <source>Go to the message above</source>
        <translation>转到上一条消息</translation>
    </message>
    <message>
        <source>Go to the message below</source>
        <translation>转到下一条消息</translation>
    </message>
    <message>
        <source>Quote the selected words</source>
        <translation>引用选中的文字</translation>
    </message>
    <message>
        <source>Show or hide the sidebar</source>
        <translation>显示或隐藏侧边栏</translation>
    </message>
    <message>
        <source>Answer a tool that asks</source>
        <translation>回答请求许可的工具</translation>
    </message>
    <message>
        <source>How the last answer came by its sources</source>
        <translation>最近的回答如何得到来源</translation>
    </message>
    <message>
        <source>Copy the last answer</source>
        <translation>复制最后一个回答</translation>
    </message>
    <message>
        <source>Save the conversation as a file</source>
        <translation>将对话保存为文件</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Find out what is wrong</source>
        <translation>检查哪里有问题</translation>
    </message>
    <message>
        <source>All shortcuts</source>
        <translation>所有快捷键</translation>
    </message>
</context>
<context>
    <name>appearance_page</name>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Style sheet of your own</source>
        <translation>自定义样式表</translation>
    </message>
    <message>
        <source>CSS for the conversation, used as you type. What would load something from elsewhere is left out.</source>
        <translation>用于对话页面的 CSS，边输入边生效。会从别处加载内容的部分不会使用。</translation>
    </message>
    <message>
        <source>This is how it looks</source>
        <translation>效果预览</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>字体</translation>
    </message>
    <message>
        <source>For the window and the conversation.</source>
        <translation>用于窗口和对话。</translation>
    </message>
    <message>
        <source>Size of the window&apos;s text</source>
        <translation>窗口文字大小</translation>
    </message>
    <message>
        <source>Size of the conversation</source>
        <translation>对话的显示大小</translation>
    </message>
    <message>
        <source>Density</source>
        <translation>疏密</translation>
    </message>
    <message>
        <source>Comfortable</source>
        <translation>宽松</translation>
    </message>
    <message>
        <source>Compact</source>
        <translation>紧凑</translation>
    </message>
    <message>
        <source>Compact shows more at once.</source>
        <translation>紧凑时一屏显示更多内容。</translation>
    </message>
    <message>
        <source>Movement</source>
        <translation>动画</translation>
    </message>
    <message>
        <source>Less</source>
        <translation>减少</translation>
    </message>
</context>
<context>
    <name>assistant_editor</name>
    <message>
        <source>Web search</source>
        <translation>联网搜索</translation>
    </message>
    <message>
        <source>Wikipedia</source>
        <translation>维基百科</translation>
    </message>
    <message>
        <source>Read pages</source>
        <translation>阅读网页</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Remember</source>
        <translation>记住</translation>
    </message>
</context>
<context>
    <name>assistant_start</name>
    <message>
        <source>“{assistant}” wants {model}, which is not there now; {instead} answers instead.</source>
        <translation>“{assistant}”要用 {model}，但它现在不可用；改由 {instead} 回答。</translation>
    </message>
    <message>
        <source>“{assistant}” searches with {engine}, which is not set up; it is now: {instead}.</source>
        <translation>“{assistant}”用 {engine} 搜索，但它还没有设置好；现在改为：{instead}。</translation>
    </message>
    <message>
        <source>Knowledge bases of “{assistant}” that are not there: {count}. It goes without.</source>
        <translation>“{assistant}”的知识库中有 {count} 个已不存在，将不使用它们。</translation>
    </message>
</context>
<context>
    <name>assistant_words</name>
    <message>
        <source>General</source>
        <translation>通用</translation>
    </message>
</context>
<context>
    <name>assistants_page</name>
    <message>
        <source>Assistants</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Each answers in its own manner, with its own model, tools and knowledge. The rules for citing sources hold for all of them.</source>
        <translation>每个助手都有自己的回答方式、模型、工具和知识。引用来源的规则对所有助手都有效。</translation>
    </message>
    <message>
        <source>Your own assistants</source>
        <translation>自己的助手</translation>
    </message>
</context>
<context>
    <name>backup_places</name>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Add a WebDAV server</source>
        <translation>添加 WebDAV 服务器</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Secret key</source>
        <translation>私有密钥</translation>
    </message>
    <message>
        <source>Add an S3 store</source>
        <translation>添加 S3 存储</translation>
    </message>
    <message>
        <source>Endpoint</source>
        <translation>服务地址</translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation>存储桶</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>区域</translation>
    </message>
    <message>
        <source>Access key</source>
        <translation>访问密钥</translation>
    </message>
    <message>
        <source>Called</source>
        <translation>显示名称</translation>
    </message>
    <message>
        <source>Hours between copies</source>
        <translation>备份间隔（小时）</translation>
    </message>
</context>
<context>
    <name>base_words</name>
    <message>
        <source>Paused · {items} items</source>
        <translation>已暂停 · {items} 项</translation>
    </message>
    <message>
        <source>Reading, {percent} %</source>
        <translation>正在读取 {percent}%</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>1 item · {passages} passages</source>
        <translation>1 项 · {passages} 段</translation>
    </message>
    <message>
        <source>{items} items · {passages} passages</source>
        <translation>{items} 项 · {passages} 段</translation>
    </message>
</context>
<context>
    <name>check_words</name>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Newer versions</source>
        <translation>新版本</translation>
    </message>
    <message>
        <source>Data folder</source>
        <translation>数据文件夹</translation>
    </message>
    <message>
        <source>Browser</source>
        <translation>浏览器</translation>
    </message>
    <message>
        <source>Keyring</source>
        <translation>密钥环</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Scans</source>
        <translation>扫描件</translation>
    </message>
    <message>
        <source>Reranker</source>
        <translation>重排模型</translation>
    </message>
    <message>
        <source>Search engine {name}</source>
        <translation>搜索引擎 {name}</translation>
    </message>
    <message>
        <source>Model server {name}</source>
        <translation>模型服务器 {name}</translation>
    </message>
    <message>
        <source>Chroma server {name}</source>
        <translation>Chroma 服务器 {name}</translation>
    </message>
    <message>
        <source>In Knowledge the failed items say why, and can be tried again.</source>
        <translation>在“知识库”中，失败的条目会说明原因，并且可以重试。</translation>
    </message>
    <message>
        <source>Test it in Settings, Search.</source>
        <translation>请在“设置”的“搜索”中测试。</translation>
    </message>
    <message>
        <source>Have its page shown in Settings, Search, and do there what it asks for.</source>
        <translation>请在“设置”的“搜索”中显示它的页面，并完成它要求的操作。</translation>
    </message>
    <message>
        <source>Download one in Settings, Search, or install Google Chrome.</source>
        <translation>请在“设置”的“搜索”中下载一个，或安装 Google Chrome。</translation>
    </message>
</context>
<context>
    <name>conversation_words</name>
    <message>
        <source>pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>waits for you</source>
        <translation>等待你的操作</translation>
    </message>
    <message>
        <source>with a draft</source>
        <translation>有草稿</translation>
    </message>
    <message>
        <source>{name}, {count} conversations, open</source>
        <translation>{name}，{count} 个对话，已展开</translation>
    </message>
    <message>
        <source>{name}, {count} conversations, closed</source>
        <translation>{name}，{count} 个对话，已折叠</translation>
    </message>
    <message>
        <source>{name}, folder with {count}, open</source>
        <translation>{name}，文件夹，{count} 个对话，已展开</translation>
    </message>
    <message>
        <source>{name}, folder with {count}, closed</source>
        <translation>{name}，文件夹，{count} 个对话，已折叠</translation>
    </message>
</context>
<context>
    <name>craft_words</name>
    <message>
        <source>Read for me</source>
        <translation>帮我读</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写作</translation>
    </message>
    <message>
        <source>Read a long document: outline, key points, what is new, with what evidence</source>
        <translation>通读长文档：提纲、要点、新内容、主张与依据</translation>
    </message>
    <message>
        <source>Write a text from your knowledge bases, chapter by chapter</source>
        <translation>根据你的知识库逐章写一篇文章</translation>
    </message>
    <message>
        <source>Read this for me.</source>
        <translation>帮我读这个文档。</translation>
    </message>
    <message>
        <source>Read “{name}” for me.</source>
        <translation>帮我读“{name}”。</translation>
    </message>
</context>
<context>
    <name>data_page</name>
    <message>
        <source>Conversations and memories</source>
        <translation>对话与记忆</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Downloaded models</source>
        <translation>已下载的模型</translation>
    </message>
    <message>
        <source>Language models of this computer</source>
        <translation>这台电脑上的语言模型</translation>
    </message>
    <message>
        <source>Pasted pictures</source>
        <translation>粘贴的图片</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Icons of sites</source>
        <translation>网站图标</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>Keys are in the keyring of the system and in none of these.</source>
        <translation>密钥保存在系统密钥环中，不在以下任何位置。</translation>
    </message>
    <message>
        <source>Where the data lies</source>
        <translation>数据存放位置</translation>
    </message>
    <message>
        <source>Another disk, a folder that is synchronised, or a server. The settings are copied there too.</source>
        <translation>另一块磁盘、会同步的文件夹，或服务器。设置也会复制到那里。</translation>
    </message>
    <message>
        <source>Import and export</source>
        <translation>导入与导出</translation>
    </message>
    <message>
        <source>From ChatGPT, Claude, Cherry Studio, Chatbox, Open WebUI and Footnote: the file that they export. You see what is in it before anything comes in.</source>
        <translation>来自 ChatGPT、Claude、Cherry Studio、Chatbox、Open WebUI 和 Footnote：它们导出的文件。导入之前会先显示其中的内容。</translation>
    </message>
    <message>
        <source>Copy now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Conversations and memories are copied every hour in which something has changed, knowledge bases every day. One copy is kept for each of 24 hours, 14 days and 8 weeks.</source>
        <translation>对话和记忆只要有变化，每小时就会复制一次；知识库每天一次。最近 24 小时、14 天和 8 周各保留一份副本。</translation>
    </message>
    <message>
        <source>Copies elsewhere</source>
        <translation>其他位置的副本</translation>
    </message>
    <message>
        <source>The folder beside the program is used: {folder}. It can be carried to another computer together with the program. Keys cannot: they stay in the keyring of this one and are entered again elsewhere.</source>
        <translation>正在使用程序旁边的文件夹：{folder}。它可以和程序一起带到另一台电脑。密钥不能：它们留在这台电脑的密钥环中，在别处需要重新输入。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>effort_switch</name>
    <message>
        <source>Brief</source>
        <translation>简短</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>适中</translation>
    </message>
    <message>
        <source>Long</source>
        <translation>深入</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>由模型决定</translation>
    </message>
</context>
<context>
    <name>export_menu</name>
    <message>
        <source>Word document</source>
        <translation>Word 文档</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF 文件</translation>
    </message>
    <message>
        <source>Web page (HTML)</source>
        <translation>网页（HTML）</translation>
    </message>
    <message>
        <source>Markdown with footnotes</source>
        <translation>带脚注的 Markdown</translation>
    </message>
    <message>
        <source>Sources as BibTeX</source>
        <translation>BibTeX 格式的来源</translation>
    </message>
    <message>
        <source>As Markdown</source>
        <translation>Markdown 格式</translation>
    </message>
    <message>
        <source>As plain text</source>
        <translation>纯文本格式</translation>
    </message>
    <message>
        <source>As BibTeX</source>
        <translation>BibTeX 格式</translation>
    </message>
</context>
<context>
    <name>help_page</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Is everything in order?</source>
        <translation>一切正常吗？</translation>
    </message>
    <message>
        <source>Looks at the browser, the keyring, models, search engines and knowledge, and says what to do. It asks the servers that are set up, and nobody else.</source>
        <translation>检查浏览器、密钥环、模型、搜索引擎和知识库，并说明该怎么做。只会询问已设置的服务器。</translation>
    </message>
    <message>
        <source>Report for those who help</source>
        <translation>求助报告</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>What the program notes of its work. It stays on this machine.</source>
        <translation>程序对自身工作的记录，只保存在本机。</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>查看日志</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Show all shortcuts</source>
        <translation>查看所有快捷键</translation>
    </message>
    <message>
        <source>Show the log…</source>
        <translation>查看日志…</translation>
    </message>
    <message>
        <source>Show all shortcuts…</source>
        <translation>查看所有快捷键…</translation>
    </message>
</context>
<context>
    <name>inspector</name>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Searches</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Different results: {count}</source>
        <translation>不同的结果：{count} 条</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>only its snippet</source>
        <translation>仅用摘要</translation>
    </message>
    <message>
        <source>read before</source>
        <translation>来自缓存</translation>
    </message>
    <message>
        <source>Found by {engines}</source>
        <translation>由 {engines} 找到</translation>
    </message>
    <message>
        <source>Same as {title}</source>
        <translation>与“{title}”相同</translation>
    </message>
    <message>
        <source>score {score}</source>
        <translation>得分 {score}</translation>
    </message>
    <message>
        <source>{part} of {whole}</source>
        <translation>{part}（共 {whole}）</translation>
    </message>
    <message>
        <source>Results: {count}</source>
        <translation>{count} 条结果</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有结果</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>被拦截</translation>
    </message>
    <message>
        <source>Results not readable</source>
        <translation>结果无法读取</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>Not reachable</source>
        <translation>无法连接</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>已读取</translation>
    </message>
    <message>
        <source>No text on the page</source>
        <translation>页面没有正文</translation>
    </message>
    <message>
        <source>Not allowed</source>
        <translation>不允许访问</translation>
    </message>
    <message>
        <source>Page not found</source>
        <translation>页面不存在</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Cut: does not answer</source>
        <translation>已删去：与问题无关</translation>
    </message>
    <message>
        <source>Cut: no room</source>
        <translation>已删去：篇幅不够</translation>
    </message>
    <message>
        <source>Merged: same text as another</source>
        <translation>已合并：与另一来源内容相同</translation>
    </message>
    <message>
        <source>Left out by you</source>
        <translation>已被你排除</translation>
    </message>
    <message>
        <source>Not read: there were enough</source>
        <translation>未读取：来源已足够</translation>
    </message>
    <message>
        <source>No text</source>
        <translation>没有内容</translation>
    </message>
    <message>
        <source>The model chose the queries.</source>
        <translation>查询由模型选择。</translation>
    </message>
    <message>
        <source>The queries are yours.</source>
        <translation>查询由你指定。</translation>
    </message>
    <message>
        <source>Nothing had to be looked up.</source>
        <translation>无需查找资料。</translation>
    </message>
    <message>
        <source>{milliseconds} ms</source>
        <translation>{milliseconds} 毫秒</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>Given for the answer: {count}</source>
        <translation>供回答使用：{count} 个</translation>
    </message>
    <message>
        <source>Given for the answer</source>
        <translation>已供回答使用</translation>
    </message>
    <message>
        <source>What is remembered answers this, so the web was not searched.</source>
        <translation>记忆已能回答这个问题，因此没有搜索网络。</translation>
    </message>
</context>
<context>
    <name>item_actions</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Show passages</source>
        <translation>显示段落</translation>
    </message>
    <message>
        <source>Read this for me</source>
        <translation>为我阅读</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Do not read</source>
        <translation>不再读取</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>标签…</translation>
    </message>
    <message>
        <source>Remove from the base</source>
        <translation>从知识库移除</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Let a model name it</source>
        <translation>让模型命名</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Move to a folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Take out of the archive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>New chat in this folder</source>
        <translation>在此文件夹中新建对话</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Delete the folder, keep its conversations</source>
        <translation>删除文件夹，保留对话</translation>
    </message>
    <message>
        <source>Delete with its conversations</source>
        <translation>连同其中的对话一起删除</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>Out of the folder</source>
        <translation>移出文件夹</translation>
    </message>
    <message>
        <source>Choose an icon…</source>
        <translation>选择图标…</translation>
    </message>
    <message>
        <source>Pause reading</source>
        <translation>暂停读取</translation>
    </message>
    <message>
        <source>Go on reading</source>
        <translation>继续读取</translation>
    </message>
    <message>
        <source>Read everything again</source>
        <translation>全部重新读取</translation>
    </message>
    <message>
        <source>Test the search</source>
        <translation>测试检索</translation>
    </message>
    <message>
        <source>Watched folders</source>
        <translation>监视的文件夹</translation>
    </message>
    <message>
        <source>Settings of the base</source>
        <translation>知识库的设置</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>item_words</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页数</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取日期</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Being read</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Found by words</source>
        <translation>可按词检索</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>{pages} pages, {scanned} of them read from a scan</source>
        <translation>{pages} 页，其中 {scanned} 页由扫描识别</translation>
    </message>
    <message>
        <source>Web page</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>{pages}, scanned</source>
        <translation>{pages}（扫描）</translation>
    </message>
    <message>
        <source>{pages} ({scanned} scanned)</source>
        <translation>{pages}（{scanned} 页扫描）</translation>
    </message>
</context>
<context>
    <name>knowledge_models</name>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Citations are compared by words, numbers and names alone.</source>
        <translation>引用只按词语、数字和名称比较。</translation>
    </message>
    <message>
        <source>Passages are given in the order in which they were found.</source>
        <translation>段落按检索到的顺序给出。</translation>
    </message>
</context>
<context>
    <name>knowledge_page</name>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Passages for a question</source>
        <translation>每个问题的段落数</translation>
    </message>
    <message>
        <source>At most; the model is given as many of them as it has room for.</source>
        <translation>最多这么多；模型能容纳多少就给它多少。</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>按含义检索</translation>
    </message>
    <message>
        <source>An embedding model turns passages into numbers, so that a question finds what says the same in other words. Bases that name no model of their own use the one chosen here. When it changes, they are embedded anew in the background, and the old numbers answer until that is done.</source>
        <translation>嵌入模型把段落变成数字，使问题能找到意思相同而说法不同的内容。没有自选模型的知识库使用此处所选的模型。更换后会在后台重新嵌入，完成之前仍由旧的数字作答。</translation>
    </message>
    <message>
        <source>Choice of the embedding model</source>
        <translation>选择嵌入模型</translation>
    </message>
    <message>
        <source>PyTorch and Sentence Transformers, for models of your choice</source>
        <translation>PyTorch 和 Sentence Transformers，用于你选择的模型</translation>
    </message>
    <message>
        <source>Servers that embed</source>
        <translation>嵌入服务器</translation>
    </message>
    <message>
        <source>Mirror of Hugging Face</source>
        <translation>Hugging Face 镜像</translation>
    </message>
    <message>
        <source>Where models are downloaded from, if not from the hub itself.</source>
        <translation>不直接从 Hugging Face 下载模型时使用的地址。</translation>
    </message>
    <message>
        <source>Check of citations</source>
        <translation>引用核对</translation>
    </message>
    <message>
        <source>An entailment model judges on this computer whether a passage says what it is cited for. Its verdict replaces the comparison of words; a language model, where it is asked, has the last word.</source>
        <translation>蕴含模型在本机判断来源段落是否支持引用它的说法。它的结论取代词语比较；如果还询问语言模型，则以语言模型为准。</translation>
    </message>
    <message>
        <source>Choice of the entailment model</source>
        <translation>蕴含模型的选择</translation>
    </message>
    <message>
        <source>Reranking</source>
        <translation>重排</translation>
    </message>
    <message>
        <source>A reranker reads the question together with each passage that was found, and puts the passages that answer it first. It takes a second or more on this computer; a server is faster, and is sent the question and the passages.</source>
        <translation>重排器把问题与找到的每个段落放在一起读，把能回答问题的段落排到前面。在本机上需要一秒或更久；服务器更快，但问题和段落会发送给它。</translation>
    </message>
    <message>
        <source>Choice of the reranker</source>
        <translation>选择重排模型</translation>
    </message>
    <message>
        <source>Servers that rerank</source>
        <translation>重排服务器</translation>
    </message>
    <message>
        <source>Least score of a passage</source>
        <translation>段落的最低分</translation>
    </message>
    <message>
        <source>Passages that the reranker gives less are left out; 0 keeps all of them. Without a reranker it does not count: what the search itself scores cannot be compared from question to question.</source>
        <translation>重排器给分更低的段落会被略去；0 表示全部保留。没有重排器时不起作用：检索本身的分数在不同问题之间无法比较。</translation>
    </message>
    <message>
        <source>Least relevance without a reranker</source>
        <translation>没有重排器时的相关度下限</translation>
    </message>
    <message>
        <source>Passages that reach less of the best score are left out, and all of them where your files do not seem to say anything on a question. With 0 all that is found is given.</source>
        <translation>分数达不到最高分这一比例的段落会被略去；如果你的文件似乎没有提到问题的内容，则全部略去。设为 0 时提供找到的全部段落。</translation>
    </message>
    <message>
        <source>Reading files</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>Length of a passage</source>
        <translation>段落长度</translation>
    </message>
    <message>
        <source>The most that is found and cited as one. It counts for what is read from now on.</source>
        <translation>作为一个整体被检索和引用的最大长度。只对此后读取的内容生效。</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个词元</translation>
    </message>
    <message>
        <source>As suits the model</source>
        <translation>由模型决定</translation>
    </message>
    <message>
        <source>Read scans</source>
        <translation>识别扫描件</translation>
    </message>
    <message>
        <source>Pages without text, and pictures, are read by OCR on this computer. It takes seconds a page.</source>
        <translation>没有文字的页面和图片由本机的 OCR 识别，每页需要数秒。</translation>
    </message>
    <message>
        <source>Describe pictures without text</source>
        <translation>描述没有文字的图片</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>不使用模型</translation>
    </message>
    <message>
        <source>Photos, drawings and scanned pages in which OCR finds no text are sent to this model, up to 20 of a file. What it says is found, and cited as its description. Unless the model runs on this computer, the pictures leave it. Read again what has failed before.</source>
        <translation>把 OCR 认不出文字的照片、图画和扫描页发送给此模型，每个文件最多 20 页。它所说的内容可以被找到，引用时注明是它的描述。除非模型在本机运行，否则图片会离开这台电脑。之前失败的文件请重新读取。</translation>
    </message>
    <message>
        <source>Chroma servers</source>
        <translation>Chroma 服务器</translation>
    </message>
    <message>
        <source>A base can keep its vectors on a Chroma server, such as one that a team shares; choose it in the settings of the base. The texts stay on this computer as well.</source>
        <translation>知识库的向量可以放在 Chroma 服务器上，例如团队共用的服务器；请在该知识库的设置中选择。文字同时保留在本机。</translation>
    </message>
    <message>
        <source>Servers that keep vectors</source>
        <translation>存放向量的服务器</translation>
    </message>
</context>
<context>
    <name>knowledge_servers</name>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Add an embedding server</source>
        <translation>添加嵌入服务器</translation>
    </message>
    <message>
        <source>Embedding server</source>
        <translation>嵌入服务器</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维数</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>由模型决定</translation>
    </message>
    <message>
        <source>Only for models that can give shorter vectors.</source>
        <translation>仅用于能给出更短向量的模型。</translation>
    </message>
    <message>
        <source>Before a question</source>
        <translation>问题之前</translation>
    </message>
    <message>
        <source>For models that were trained with such words; else empty.</source>
        <translation>用于以此类文字训练的模型，否则留空。</translation>
    </message>
    <message>
        <source>Before a passage</source>
        <translation>段落之前</translation>
    </message>
    <message>
        <source>Add a reranking server</source>
        <translation>添加重排服务器</translation>
    </message>
    <message>
        <source>Reranking server</source>
        <translation>重排服务器</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Add a Chroma server</source>
        <translation>添加 Chroma 服务器</translation>
    </message>
    <message>
        <source>Chroma server</source>
        <translation>Chroma 服务器</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Tenant</source>
        <translation>租户</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>It is the model chosen above. Choose another one first.</source>
        <translation>上面选用的正是它，请先选用其他模型。</translation>
    </message>
    <message>
        <source>It is the reranker chosen above. Choose another one first.</source>
        <translation>上面选用的正是它，请先选用其他重排器。</translation>
    </message>
    <message>
        <source>In use by {bases}. Choose something else there first.</source>
        <translation>{bases} 正在使用它，请先在那里改用其他的。</translation>
    </message>
</context>
<context>
    <name>mcp_page</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Programs and addresses that bring tools for models, by the Model Context Protocol (MCP). Their tools ask you before they run. Add only those that you trust: a program can do what you can.</source>
        <translation>通过模型上下文协议（MCP）为模型提供工具的程序和网络地址。它们的工具在运行前会征得你的同意。请只添加你信任的：程序能做你能做的一切。</translation>
    </message>
    <message>
        <source>Answers for always</source>
        <translation>长期有效的回答</translation>
    </message>
    <message>
        <source>What you said when a tool asked whether it may run.</source>
        <translation>工具询问能否运行时你的回答。</translation>
    </message>
    <message>
        <source>What was answered for always</source>
        <translation>已设为始终的回答</translation>
    </message>
</context>
<context>
    <name>memory_page</name>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Use memories in conversations</source>
        <translation>在对话中使用记忆</translation>
    </message>
    <message>
        <source>Only those that bear on a question are sent with it, and they are cited like other sources.</source>
        <translation>只有与问题有关的记忆才会随问题发送，并像其他来源一样被引用。</translation>
    </message>
    <message>
        <source>What is remembered</source>
        <translation>记住的内容</translation>
    </message>
    <message>
        <source>Kept on this machine, beside your conversations and in their backups.</source>
        <translation>保存在本机，与你的对话放在一起，也包含在备份中。</translation>
    </message>
</context>
<context>
    <name>memory_words</name>
    <message>
        <source>You said</source>
        <translation>你说过</translation>
    </message>
    <message>
        <source>Proposed by a model, confirmed by you</source>
        <translation>由模型提出，经你确认</translation>
    </message>
    <message>
        <source>only for {assistant}</source>
        <translation>仅用于{assistant}</translation>
    </message>
</context>
<context>
    <name>mentioning</name>
    <message>
        <source>Assistants</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
</context>
<context>
    <name>model_words</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>推理</translation>
    </message>
    <message>
        <source>Own search</source>
        <translation>自带搜索</translation>
    </message>
    <message>
        <source>{given} in, {made} out per million tokens</source>
        <translation>每百万词元：输入 {given}，输出 {made}</translation>
    </message>
</context>
<context>
    <name>models_page</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The model that answers</source>
        <translation>与回答相同的模型</translation>
    </message>
    <message>
        <source>Providers</source>
        <translation>服务商</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>Models that Footnote downloads and runs itself. Questions, files and answers stay on this computer.</source>
        <translation>由 Footnote 自行下载和运行的模型。问题、文件和回答都留在这台电脑上。</translation>
    </message>
    <message>
        <source>Download a language model</source>
        <translation>下载语言模型</translation>
    </message>
    <message>
        <source>Keep a model in memory</source>
        <translation>模型在内存中保留</translation>
    </message>
    <message>
        <source>After the last answer. The next question loads it again.</source>
        <translation>从最后一次回答算起。下次提问时会重新加载。</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source>Servers that run language models, in the cloud or on this machine.</source>
        <translation>运行语言模型的服务器，在云端或在本机。</translation>
    </message>
    <message>
        <source>API keys and addresses</source>
        <translation>API 密钥与地址</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Model for search queries</source>
        <translation>用于搜索查询的模型</translation>
    </message>
    <message>
        <source>A small, fast model is enough to decide what to search for.</source>
        <translation>决定搜索什么，用又小又快的模型就够了。</translation>
    </message>
    <message>
        <source>Longest wait for search queries</source>
        <translation>等待拟定查询的最长时间</translation>
    </message>
    <message>
        <source>Keywords are searched for beside a model that takes more than 2 s, and used if it takes longer than this. How long it really takes is measured, and it is waited for twice as long at most.</source>
        <translation>模型超过 2 秒还没有决定时，会同时用关键词搜索；超过此时间就采用关键词。程序会记录模型实际用时，最多等待其两倍。</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Let a model name new conversations</source>
        <translation>让模型为新对话命名</translation>
    </message>
    <message>
        <source>The model for search queries is sent the first question and answer, in one more request. Otherwise they are called by their first line.</source>
        <translation>会多发一次请求，把第一个问题和回答发给用于搜索的模型。否则以首行作为标题。</translation>
    </message>
    <message>
        <source>Length of the conversation sent</source>
        <translation>发送的对话长度</translation>
    </message>
    <message>
        <source>Sources and earlier messages that do not fit are left out, and it is said so.</source>
        <translation>放不下的来源和早先的消息会被省略，并会注明。</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 个词元</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>回答的最大长度</translation>
    </message>
    <message>
        <source>Citations</source>
        <translation>引用</translation>
    </message>
    <message>
        <source>Every cited sentence can be compared with its source: by words, their order, numbers and names.</source>
        <translation>每个引用句都可以与来源比较：词语及其顺序、数字和名称。</translation>
    </message>
    <message>
        <source>Check the citations</source>
        <translation>核对引用</translation>
    </message>
    <message>
        <source>When I ask, and of research</source>
        <translation>在我要求时，以及研究的引用</translation>
    </message>
    <message>
        <source>Of every answer</source>
        <translation>每个回答的引用</translation>
    </message>
    <message>
        <source>Let a model judge them, too</source>
        <translation>也让模型来判断</translation>
    </message>
    <message>
        <source>It is sent the sentences and the passages, in one more request for each check. Its verdict counts.</source>
        <translation>每次核对多发一个请求，把句子和原文发给模型。以它的判断为准。</translation>
    </message>
</context>
<context>
    <name>network_page</name>
    <message>
        <source>Own network</source>
        <translation>自己的网络</translation>
    </message>
    <message>
        <source>Private hosts and Fake-IP ranges that pages may be read from</source>
        <translation>允许读取网页的私有主机和 Fake-IP 网段</translation>
    </message>
    <message>
        <source>One on a line: a host, a host with its port, or a network. A proxy that answers with Fake-IP addresses needs its range, mostly 198.18.0.0/15.</source>
        <translation>每行一个：主机、带端口的主机或网段。使用 Fake-IP 的代理需要填写其网段，通常是 198.18.0.0/15。</translation>
    </message>
    <message>
        <source>Addresses of search engines</source>
        <translation>搜索引擎的地址</translation>
    </message>
    <message>
        <source>One on a line: the engine and the address that is asked in its place, such as a SearXNG of your own or a mirror.</source>
        <translation>每行一个：引擎及代替它的地址，例如自建的 SearXNG 或镜像。</translation>
    </message>
    <message>
        <source>“{line}” is no host, address or network. Write wiki.local, wiki.local:8080 or 10.0.0.0/8.</source>
        <translation>“{line}”不是主机、地址或网段。请写成 wiki.local、wiki.local:8080 或 10.0.0.0/8。</translation>
    </message>
    <message>
        <source>“{line}” is not an engine and its address. Write searxng https://search.example.com.</source>
        <translation>“{line}”不是引擎及其地址。请写成 searxng https://search.example.com。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Proxy of each part</source>
        <translation>各部分的代理</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Reading pages</source>
        <translation>读取网页</translation>
    </message>
    <message>
        <source>Tools (MCP)</source>
        <translation>工具（MCP）</translation>
    </message>
    <message>
        <source>Copies elsewhere</source>
        <translation>别处的副本</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>http://, https:// or socks5://. It looks the names of sites up itself. This machine is always reached directly.</source>
        <translation>http://、https:// 或 socks5://。网站域名由代理自行解析。访问本机始终直接连接。</translation>
    </message>
</context>
<context>
    <name>privacy_page</name>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Footnote tells nobody anything about you by itself: no statistics, no reports of crashes, no account. What leaves this machine leaves because you ask, and is listed here. A conversation can be kept on this machine below the message.</source>
        <translation>Footnote 不会自行向任何人发送与你有关的任何信息：没有统计，没有崩溃上报，没有账号。离开本机的内容都源于你的提问，并列在这里。在消息输入框下方可以把对话限定在本机。</translation>
    </message>
    <message>
        <source>Newer versions</source>
        <translation>新版本</translation>
    </message>
    <message>
        <source>With your next question</source>
        <translation>下一个问题</translation>
    </message>
    <message>
        <source>Who would be told what, as the settings are now.</source>
        <translation>按当前设置，谁会得知什么。</translation>
    </message>
    <message>
        <source>Who is told what</source>
        <translation>谁会得知什么</translation>
    </message>
    <message>
        <source>What left so far, of all conversations</source>
        <translation>所有对话至今发出的内容</translation>
    </message>
    <message>
        <source>What has left this machine</source>
        <translation>已离开本机的内容</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>What is deleted can be brought back until it is deleted for good.</source>
        <translation>删除的内容在彻底删除之前都可以恢复。</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>彻底删除</translation>
    </message>
    <message>
        <source>What left of the conversation that is open</source>
        <translation>当前对话发出的内容</translation>
    </message>
    <message>
        <source>Footnote does not check whether there is a newer version.</source>
        <translation>Footnote 不检查是否有新版本。</translation>
    </message>
    <message>
        <source>Once a day {host} is asked for the newest version of Footnote. It learns your network address, as every page does, and nothing else: no version, no name, no cookie. Settings, Program, turns it off.</source>
        <translation>每天向 {host} 询问一次 Footnote 的最新版本。它像任何网页一样会得知你的网络地址，除此之外一无所知：没有版本号、名称或 Cookie。可在“设置”的“程序”页中关闭。</translation>
    </message>
    <message>
        <source>Nobody. Everything happens on this machine.</source>
        <translation>没有任何人。一切都在本机完成。</translation>
    </message>
    <message>
        <source>Nothing has left this machine.</source>
        <translation>没有内容离开本机。</translation>
    </message>
</context>
<context>
    <name>privacy_words</name>
    <message>
        <source>Question, conversation, sources and pictures</source>
        <translation>问题、对话、来源和图片</translation>
    </message>
    <message>
        <source>The words that are searched for</source>
        <translation>搜索用词</translation>
    </message>
    <message>
        <source>Addresses of pages and pictures that are fetched</source>
        <translation>所取网页和图片的地址</translation>
    </message>
    <message>
        <source>What a model passes to the tool</source>
        <translation>模型传给工具的内容</translation>
    </message>
    <message>
        <source>Passages of files, and what is looked for in them</source>
        <translation>文件段落及查找的内容</translation>
    </message>
    <message>
        <source>What is looked for in files, and the passages found</source>
        <translation>在文件中查找的内容和找到的段落</translation>
    </message>
    <message>
        <source>Vectors of passages</source>
        <translation>段落的向量</translation>
    </message>
    <message>
        <source>Copies of conversations, memories and settings</source>
        <translation>对话、记忆和设置的副本</translation>
    </message>
    <message>
        <source>The question for the newest version</source>
        <translation>对最新版本的询问</translation>
    </message>
    <message>
        <source>is not asked: the conversation stays here</source>
        <translation>不会询问：此对话只留在本机</translation>
    </message>
    <message>
        <source>on this machine</source>
        <translation>在本机</translation>
    </message>
    <message>
        <source>{what} · last {moment}</source>
        <translation>{what} · 最近 {moment}</translation>
    </message>
    <message>
        <source>{count} ×</source>
        <translation>{count} 次</translation>
    </message>
</context>
<context>
    <name>program_page</name>
    <message>
        <source>Start when I log in</source>
        <translation>登录时启动</translation>
    </message>
    <message>
        <source>Key for the quick window</source>
        <translation>快速窗口的按键</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>This desktop has no place for such icons.</source>
        <translation>此桌面没有放置这类图标的地方。</translation>
    </message>
    <message>
        <source>Open the conversation of the last time</source>
        <translation>打开上次的对话</translation>
    </message>
    <message>
        <source>Notes of the desktop</source>
        <translation>桌面通知</translation>
    </message>
    <message>
        <source>Tell me what ends while I look at something else</source>
        <translation>在我看别处时，完成了就通知我</translation>
    </message>
    <message>
        <source>Answers, research and files on their way into a knowledge base.</source>
        <translation>回答、研究，以及正在加入知识库的文件。</translation>
    </message>
    <message>
        <source>Show a note now</source>
        <translation>立即显示一条通知</translation>
    </message>
    <message>
        <source>Tray</source>
        <translation>托盘</translation>
    </message>
    <message>
        <source>Icon in the tray</source>
        <translation>托盘图标</translation>
    </message>
    <message>
        <source>Keep running when the window is closed</source>
        <translation>关闭窗口后继续运行</translation>
    </message>
    <message>
        <source>The icon in the tray calls it back.</source>
        <translation>可通过托盘图标重新打开。</translation>
    </message>
    <message>
        <source>Quick window</source>
        <translation>快速窗口</translation>
    </message>
    <message>
        <source>Asks {host}. The question says nothing about you: not even which version you have. Nothing is downloaded or installed by itself.</source>
        <translation>向 {host} 询问。询问中没有任何关于你的信息，连你使用的版本也没有。不会自动下载或安装任何内容。</translation>
    </message>
    <message>
        <source>No address is known where newer versions are announced, so Footnote does not check.</source>
        <translation>没有公布新版本的地址，因此不会检查。</translation>
    </message>
    <message>
        <source>Newer versions</source>
        <translation>新版本</translation>
    </message>
    <message>
        <source>Look once a day whether there is a newer version</source>
        <translation>每天检查一次是否有新版本</translation>
    </message>
    <message>
        <source>What is new</source>
        <translation>新功能</translation>
    </message>
    <message>
        <source>Address where they are announced</source>
        <translation>公布新版本的地址</translation>
    </message>
    <message>
        <source>Empty: the one of the project.</source>
        <translation>留空：使用项目的地址。</translation>
    </message>
</context>
<context>
    <name>prompt_words</name>
    <message>
        <source>text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>topic</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Sum up in five points what this says, the most important first: {text}</source>
        <translation>用五点概括下面的内容，最重要的放在最前：{text}</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Translate this into Chinese, faithful in meaning and natural in tone: {text}</source>
        <translation>请把下面的文字译成英文，意思忠实，语气自然：{text}</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>翻译</translation>
    </message>
    <message>
        <source>Say this more clearly and briefly, keep my tone, and list at the end what you changed: {text}</source>
        <translation>把下面的话说得更清楚、更简短，保留我的语气，最后列出你改了什么：{text}</translation>
    </message>
    <message>
        <source>Better wording</source>
        <translation>润色</translation>
    </message>
    <message>
        <source>Explain {topic} to somebody who has never heard of it, with an example from daily life.</source>
        <translation>向从没听说过的人解释{topic}，并举一个日常生活中的例子。</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>What speaks for {topic} and what against it? Name the strongest argument of each side with its source.</source>
        <translation>{topic}有哪些支持和反对的理由？各举最有力的一条，并注明来源。</translation>
    </message>
    <message>
        <source>For and against</source>
        <translation>正反两面</translation>
    </message>
</context>
<context>
    <name>prompts_page</name>
    <message>
        <source>Writing</source>
        <translation>写作与输入</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Send with</source>
        <translation>发送方式</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Shift+Enter always breaks the line.</source>
        <translation>Shift+Enter 始终换行。</translation>
    </message>
    <message>
        <source>Pasted text becomes a file from</source>
        <translation>粘贴的文字超过多长时作为文件</translation>
    </message>
    <message>
        <source>Of a file only what bears on the question is sent. Ctrl+Shift+V always pastes into the message.</source>
        <translation>文件中只发送与问题有关的部分。Ctrl+Shift+V 总是粘贴到消息里。</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> 个字符</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Words that you send often. Type “/” where you ask questions, and pick one; tool servers offer theirs there as well.</source>
        <translation>你常发送的话。在提问处键入“/”选用；工具服务器的提示词也列在那里。</translation>
    </message>
</context>
<context>
    <name>reading_page</name>
    <message>
        <source>Pages</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>What the model is given of a page</source>
        <translation>提供给模型的网页内容</translation>
    </message>
    <message>
        <source>The passages that answer</source>
        <translation>能回答问题的段落</translation>
    </message>
    <message>
        <source>Its beginning, as far as there is room</source>
        <translation>网页开头，放得下多少给多少</translation>
    </message>
    <message>
        <source>All of it, of as many pages as fit</source>
        <translation>网页全文，放得下几页给几页</translation>
    </message>
    <message>
        <source>When a page cannot be read from here</source>
        <translation>无法从本机读取网页时</translation>
    </message>
    <message>
        <source>Ask a service that has a key</source>
        <translation>请已有密钥的服务读取</translation>
    </message>
    <message>
        <source>Ask nobody</source>
        <translation>不求助任何服务</translation>
    </message>
    <message>
        <source>The service learns the address of the page, never one of a private network.</source>
        <translation>该服务会得知网页地址，但绝不会得知内部网络的地址。</translation>
    </message>
    <message>
        <source>Sites</source>
        <translation>网站</translation>
    </message>
    <message>
        <source>One a line: a host such as example.com, wildcards such as *.example.com/shop/*, or a regular expression between slashes. Links that you write yourself are always read.</source>
        <translation>每行一条：主机名（如 example.com）、通配符（如 *.example.com/shop/*），或写在两条斜线之间的正则表达式。你自己写的链接始终会被读取。</translation>
    </message>
    <message>
        <source>Leave out results of</source>
        <translation>略去这些网站的结果</translation>
    </message>
    <message>
        <source>Take results of these sites only</source>
        <translation>只采用这些网站的结果</translation>
    </message>
    <message>
        <source>Empty: of all sites.</source>
        <translation>留空：采用所有网站。</translation>
    </message>
    <message>
        <source>Lists to subscribe to</source>
        <translation>订阅的列表</translation>
    </message>
    <message>
        <source>Addresses of lists for uBlacklist or of hosts files; they are fetched anew every day.</source>
        <translation>uBlacklist 列表或 hosts 文件的地址；每天重新获取。</translation>
    </message>
    <message>
        <source>Fetch lists now</source>
        <translation>立即获取列表</translation>
    </message>
</context>
<context>
    <name>research_page</name>
    <message>
        <source>Research</source>
        <translation>研究</translation>
    </message>
    <message>
        <source>A research searches in rounds: after each one the model judges what is still missing and what to search for next. The answer is then written from what was found. Switch it on below the message.</source>
        <translation>研究会分轮搜索：每一轮之后，模型判断还缺什么、接下来搜索什么，最后根据找到的内容写出回答。可在消息下方打开。</translation>
    </message>
    <message>
        <source>Let me see the plan first</source>
        <translation>先让我看计划</translation>
    </message>
    <message>
        <source>Nothing is searched before you have started the plan, as you changed it.</source>
        <translation>在你开始计划之前不会搜索任何内容；计划可以修改。</translation>
    </message>
</context>
<context>
    <name>research_words</name>
    <message>
        <source>Quick</source>
        <translation>快速</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Thorough</source>
        <translation>深入</translation>
    </message>
    <message>
        <source>up to {rounds} rounds, {pages} pages, {tokens} tokens, {minutes} minutes</source>
        <translation>最多 {rounds} 轮、{pages} 页、{tokens} 词元、{minutes} 分钟</translation>
    </message>
</context>
<context>
    <name>scope_choice</name>
    <message>
        <source>{count} files</source>
        <translation>{count} 个文件</translation>
    </message>
    <message>
        <source>one file</source>
        <translation>1 个文件</translation>
    </message>
</context>
<context>
    <name>search_page</name>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the web</source>
        <translation>搜索网络</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>The model&apos;s own search, where it has one</source>
        <translation>模型自带的搜索（若有）</translation>
    </message>
    <message>
        <source>Automatic uses a service with a key when there is one, else the engines below.</source>
        <translation>自动：有密钥的服务优先，否则使用下面的引擎。</translation>
    </message>
    <message>
        <source>Fill up from other engines</source>
        <translation>用其他引擎补足</translation>
    </message>
    <message>
        <source>Where you choose an engine and it brings too few results, your question goes to the others as well.</source>
        <translation>你指定的引擎结果太少时，问题也会发送给其他引擎。</translation>
    </message>
    <message>
        <source>Pages read for a question</source>
        <translation>每个问题阅读的网页数</translation>
    </message>
    <message>
        <source>Engines without a key</source>
        <translation>无需密钥的引擎</translation>
    </message>
    <message>
        <source>Tried from top to bottom until one gives results.</source>
        <translation>自上而下依次尝试，直到有结果为止。</translation>
    </message>
    <message>
        <source>Order of the engines</source>
        <translation>引擎的顺序</translation>
    </message>
    <message>
        <source>Services with a key</source>
        <translation>需要密钥的服务</translation>
    </message>
    <message>
        <source>Keys are kept in the keyring of the system, never in a file.</source>
        <translation>密钥保存在系统的密钥环中，绝不写入文件。</translation>
    </message>
    <message>
        <source>API keys of services</source>
        <translation>服务的 API 密钥</translation>
    </message>
    <message>
        <source>Browser</source>
        <translation>浏览器</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>The Chromium, Chrome or Edge that reads result pages. Empty: found by itself.</source>
        <translation>用于读取结果页的 Chromium、Chrome 或 Edge。留空则自动查找。</translation>
    </message>
    <message>
        <source>Found by itself</source>
        <translation>自动查找</translation>
    </message>
    <message>
        <source>Download a browser</source>
        <translation>下载浏览器</translation>
    </message>
    <message>
        <source>Language of the results</source>
        <translation>结果的语言</translation>
    </message>
    <message>
        <source>Any language</source>
        <translation>不限语言</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>地区</translation>
    </message>
    <message>
        <source>Any region</source>
        <translation>不限地区</translation>
    </message>
    <message>
        <source>Age of the results</source>
        <translation>发布时间</translation>
    </message>
    <message>
        <source>Any time</source>
        <translation>不限时间</translation>
    </message>
    <message>
        <source>Past day</source>
        <translation>一天内</translation>
    </message>
    <message>
        <source>Past week</source>
        <translation>一周内</translation>
    </message>
    <message>
        <source>Past month</source>
        <translation>一个月内</translation>
    </message>
    <message>
        <source>Past year</source>
        <translation>一年内</translation>
    </message>
    <message>
        <source>Safe search</source>
        <translation>安全搜索</translation>
    </message>
    <message>
        <source>Moderate</source>
        <translation>适中</translation>
    </message>
    <message>
        <source>Strict</source>
        <translation>严格</translation>
    </message>
    <message>
        <source>Engines that cannot do one of these leave it out.</source>
        <translation>搜索引擎不支持的选项会被忽略。</translation>
    </message>
</context>
<context>
    <name>shortcut_sheet</name>
    <message>
        <source>Break the line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Your last question again, in an empty field</source>
        <translation>在空输入框中找回上一个问题</translation>
    </message>
    <message>
        <source>Pick a prompt or a command while you write</source>
        <translation>书写时选用提示词或命令</translation>
    </message>
    <message>
        <source>Paste text into the message, however long</source>
        <translation>把文字粘贴到消息里，不论多长</translation>
    </message>
    <message>
        <source>Take back what was done last</source>
        <translation>撤销上一步操作</translation>
    </message>
    <message>
        <source>From mark to mark, and to the buttons, on the page</source>
        <translation>在页面上依次移到引用标记和按钮</translation>
    </message>
    <message>
        <source>Pick an assistant, a model, a base or a past answer while you write</source>
        <translation>书写时选择助手、模型、知识库或以前的回答</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>发送消息</translation>
    </message>
</context>
<context>
    <name>shortcuts_page</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Click a field and press the keys that you want. Backspace takes the keys away. Keys that another action has go over to this one.</source>
        <translation>点一下输入框，再按下想用的按键。按退格键可清除。如果别的操作已使用该按键，它会转给这个操作。</translation>
    </message>
    <message>
        <source>All back to the usual keys</source>
        <translation>全部恢复默认</translation>
    </message>
</context>
<context>
    <name>source_links</name>
    <message>
        <source>This is no address that is opened: {address}</source>
        <translation>这个地址不会被打开：{address}</translation>
    </message>
    <message>
        <source>The system has no program for {address}.</source>
        <translation>系统中没有可以打开 {address} 的程序。</translation>
    </message>
    <message>
        <source>“{name}” is no longer at {folder}. The passage it gave is kept with the answer.</source>
        <translation>“{name}”已不在 {folder}。它提供的段落仍保存在回答中。</translation>
    </message>
    <message>
        <source>“{name}” would be run by the system, not shown. Its folder was opened instead.</source>
        <translation>系统会运行“{name}”而不是显示它，因此打开了它所在的文件夹。</translation>
    </message>
    <message>
        <source>The system has no program for “{name}”.</source>
        <translation>系统中没有可以打开“{name}”的程序。</translation>
    </message>
    <message>
        <source>The folder {folder} cannot be shown.</source>
        <translation>无法显示文件夹 {folder}。</translation>
    </message>
</context>
<context>
    <name>tints</name>
    <message>
        <source>No colour</source>
        <translation>无颜色</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>橙色</translation>
    </message>
    <message>
        <source>Yellow</source>
        <translation>黄色</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>Teal</source>
        <translation>青色</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>蓝色</translation>
    </message>
    <message>
        <source>Purple</source>
        <translation>紫色</translation>
    </message>
</context>
<context>
    <name>words</name>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>过去 30 天</translation>
    </message>
    <message>
        <source>MMMM</source>
        <translation>M月</translation>
    </message>
    <message>
        <source>MMMM yyyy</source>
        <translation>yyyy年M月</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Keys that you enter are forgotten when Footnote closes: no unlocked keyring was found on this system. Unlock it, or install one such as GNOME Keyring or KWallet, and start Footnote again.</source>
        <translation>你输入的密钥会在 Footnote 关闭时丢失：没有在此系统上找到已解锁的密钥环。请将它解锁，或安装 GNOME Keyring、KWallet 等密钥环，然后重新启动 Footnote。</translation>
    </message>
    <message>
        <source>Web off</source>
        <translation>不联网</translation>
    </message>
    <message>
        <source>Web</source>
        <translation>联网</translation>
    </message>
    <message>
        <source>Model&apos;s own search</source>
        <translation>模型自带搜索</translation>
    </message>
    <message>
        <source>Quotes</source>
        <translation>摘句</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Reading page {page} of {total}</source>
        <translation>正在读取第 {page} 页，共 {total} 页</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Found by words; meaning {done} of {total}</source>
        <translation>可按词检索；正在学习语义 {done} / {total}</translation>
    </message>
    <message>
        <source>Found by words; meaning still to come</source>
        <translation>可按词检索；语义待处理</translation>
    </message>
    <message>
        <source>Ready, as far as it could be read: {reason}</source>
        <translation>就绪（以能读取的内容为限）：{reason}</translation>
    </message>
    <message>
        <source>Ready, but too long: only its beginning was read</source>
        <translation>就绪，但内容过长：只读取了开头部分</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Failed: {reason}</source>
        <translation>失败：{reason}</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
</context>
</TS>
