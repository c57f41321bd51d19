<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AccentChoice</name>
    <message>
        <source>Custom color</source>
        <translation>自定义颜色</translation>
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
        <source>New note…</source>
        <translation>新建笔记…</translation>
    </message>
    <message>
        <source>Add a web page</source>
        <translation>添加网页</translation>
    </message>
    <message>
        <source>Address of a page or PDF</source>
        <translation>网页或 PDF 的地址</translation>
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
        <source>Mostly **the moon** [1]: the sea rises below it and on the far side.

- twice a day in most places
- higher at new and full moon</source>
        <translation>主要是**月亮**[1]。朝向和背对月亮的两侧，海面都会升高。

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
        <source>&amp;Don’t allow</source>
        <translation>不允许(&amp;D)</translation>
    </message>
    <message>
        <source>N&amp;ever allow this tool</source>
        <translation>永不允许此工具(&amp;E)</translation>
    </message>
    <message>
        <source>Data sent to the tool</source>
        <translation>将发送给工具的数据</translation>
    </message>
    <message>
        <source>Allow “{tool}” from “{server}” to run?</source>
        <translation>允许运行“{server}”的工具“{tool}”吗？</translation>
    </message>
    <message>
        <source>Save this to memory? A model suggested it.</source>
        <translation>要保存到记忆吗？这是模型提出的。</translation>
    </message>
    <message>
        <source>This search mentions something from your memories or files. Send it?</source>
        <translation>这次搜索提到了你的记忆或文件中的内容。要发送吗？</translation>
    </message>
    <message>
        <source>Allow “{tool}” to run?</source>
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
        <source>What the assistant does, and how it answers</source>
        <translation>助手做什么、怎样回答</translation>
    </message>
    <message>
        <source>Suggested questions for a new chat, one per line</source>
        <translation>新对话中的建议问题，每行一个</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
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
        <translation> 词元</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
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
        <source>Reasoning effort</source>
        <translation>思考强度</translation>
    </message>
    <message>
        <source>Context limit</source>
        <translation>上下文上限</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>回答的最大长度</translation>
    </message>
    <message>
        <source>Maximum tool rounds</source>
        <translation>工具轮数上限</translation>
    </message>
    <message>
        <source>Additional request parameters</source>
        <translation>附加请求参数</translation>
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
        <source>Show chats with {assistant}</source>
        <translation>显示使用 {assistant} 的对话</translation>
    </message>
</context>
<context>
    <name>AssistantPanel</name>
    <message>
        <source>Assistants</source>
        <translation>助手</translation>
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
        <source>Export this assistant…</source>
        <translation>导出此助手…</translation>
    </message>
    <message>
        <source>Export all assistants…</source>
        <translation>导出全部助手…</translation>
    </message>
    <message>
        <source>Restore built-in assistants</source>
        <translation>恢复内置助手</translation>
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
        <source>“{assistant}” was reset.</source>
        <translation>“{assistant}”已还原。</translation>
    </message>
    <message>
        <source>“{assistant}” was deleted.</source>
        <translation>“{assistant}”已删除。</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
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
        <source>The assistant of this chat was deleted. Answers continue without it.</source>
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
        <source>Backup location</source>
        <translation>备份位置</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>No backups yet</source>
        <translation>暂无备份</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Dated in the future. The clock was or is wrong.</source>
        <translation>日期晚于现在：当时或现在的时钟不准</translation>
    </message>
    <message>
        <source>Before an update</source>
        <translation>更新之前</translation>
    </message>
    <message>
        <source>Before restoring a backup</source>
        <translation>恢复备份之前</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Browse backup…</source>
        <translation>浏览备份…</translation>
    </message>
    <message>
        <source>Backup finished.</source>
        <translation>备份完成。</translation>
    </message>
</context>
<context>
    <name>BaseActions</name>
    <message>
        <source>New knowledge base</source>
        <translation>新建知识库</translation>
    </message>
    <message>
        <source>“{base}” was deleted. Your files were not changed.</source>
        <translation>已删除“{base}”。你的文件没有变化。</translation>
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
    <name>BaseAdditionController</name>
    <message>
        <source>This page</source>
        <translation>此网页</translation>
    </message>
    <message>
        <source>This file</source>
        <translation>此文件</translation>
    </message>
    <message>
        <source>All that are cited</source>
        <translation>所有被引用的</translation>
    </message>
    <message>
        <source>All that were read</source>
        <translation>所有读过的</translation>
    </message>
    <message>
        <source>Wait until the earlier pages are added, or cancel them.</source>
        <translation>请等待之前的网页添加完成，或取消添加。</translation>
    </message>
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
    <message>
        <source>Adding to “{base}”: {done} of {total}</source>
        <translation>正在加入“{base}”：{done} / {total}</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message numerus="yes">
        <source>Adding %n source(s) to “{base}”…</source>
        <translation>
            <numerusform>正在将 %n 个来源加入“{base}”…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n source(s) added to “{base}”.</source>
        <translation>
            <numerusform>已将 %n 个来源加入“{base}”。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n already in “{base}”.</source>
        <translation>
            <numerusform>其中 %n 个已在“{base}”中。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n couldn’t be added: {reason}</source>
        <translation>
            <numerusform>%n 个无法加入：{reason}</numerusform>
        </translation>
    </message>
    <message>
        <source>Note added to “{base}”.</source>
        <translation>笔记已加入“{base}”。</translation>
    </message>
    <message>
        <source>Canceled. Nothing was added.</source>
        <translation>已取消，没有添加任何内容。</translation>
    </message>
    <message>
        <source>Canceled. Items that were already added have been removed.</source>
        <translation>已取消。已添加的内容已被移除。</translation>
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
        <source>New knowledge base</source>
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
        <source>Wait for the answer to finish, or stop it.</source>
        <translation>请等回答完成，或先停止它。</translation>
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
        <source>This is now a separate chat.</source>
        <translation>现在是一个独立的对话。</translation>
    </message>
    <message>
        <source>Back to the original</source>
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
        <source>Browser installed</source>
        <translation>浏览器已安装</translation>
    </message>
    <message>
        <source>Downloading a browser</source>
        <translation>正在下载浏览器</translation>
    </message>
    <message>
        <source>Couldn’t download the browser</source>
        <translation>无法下载浏览器</translation>
    </message>
    <message>
        <source>No browser was found</source>
        <translation>没有找到浏览器</translation>
    </message>
    <message>
        <source>Web search is ready to use.</source>
        <translation>联网搜索可以使用了。</translation>
    </message>
    <message>
        <source>Web search needs a browser. Download Chromium (about 180 MB, 400 MB installed), or install Chrome or Edge.</source>
        <translation>联网搜索需要浏览器。可下载 Chromium（约 180 MB，安装后 400 MB），或安装 Chrome、Edge。</translation>
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
        <source>The download was interrupted. Check your connection and try again.</source>
        <translation>下载中断。请检查网络连接后重试。</translation>
    </message>
    <message>
        <source>The server didn’t send the file. Try again later, or install Google Chrome.</source>
        <translation>服务器没有提供文件。请稍后重试，或安装 Google Chrome。</translation>
    </message>
    <message>
        <source>Not enough disk space. Free about 1 GB and try again.</source>
        <translation>磁盘空间不足。请腾出约 1 GB 空间后重试。</translation>
    </message>
    <message>
        <source>Footnote can’t write to the download folder. Install Google Chrome or Edge instead.</source>
        <translation>无法写入目标文件夹。请改为安装 Google Chrome 或 Edge。</translation>
    </message>
    <message>
        <source>Another program is already downloading it. Try again when it has finished.</source>
        <translation>另一个程序正在下载它。请等它完成后重试。</translation>
    </message>
    <message>
        <source>The download failed. Try again, or install Google Chrome.</source>
        <translation>下载失败。请重试，或安装 Google Chrome。</translation>
    </message>
</context>
<context>
    <name>BrowserStatus</name>
    <message>
        <source>Download…</source>
        <translation>下载…</translation>
    </message>
    <message>
        <source>Looking for a browser…</source>
        <translation>正在查找浏览器…</translation>
    </message>
    <message>
        <source>Browser found</source>
        <translation>已找到浏览器</translation>
    </message>
</context>
<context>
    <name>CaptchaDialog</name>
    <message>
        <source>{engine} needs human verification</source>
        <translation>{engine} 需要人机验证</translation>
    </message>
    <message>
        <source>Complete the check in the window that opens. It closes when results appear.</source>
        <translation>请在打开的窗口中完成验证。出现结果后窗口会自动关闭。</translation>
    </message>
    <message>
        <source>{engine} still returns no results</source>
        <translation>{engine} 仍没有返回结果</translation>
    </message>
    <message>
        <source>Open again</source>
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
        <source>{engine} is working again.</source>
        <translation>{engine} 已恢复正常。</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新提问</translation>
    </message>
    <message>
        <source>{engine} needs human verification. After that, your question is searched there too.</source>
        <translation>{engine} 需要人机验证。完成后也会用它搜索你的问题。</translation>
    </message>
    <message>
        <source>Verify and search</source>
        <translation>验证并搜索</translation>
    </message>
</context>
<context>
    <name>ChangesPane</name>
    <message>
        <source>What changed on the page</source>
        <translation>网页的变化</translation>
    </message>
    <message>
        <source>In the cited passage</source>
        <translation>引用的段落中</translation>
    </message>
    <message>
        <source>Elsewhere on the page</source>
        <translation>网页的其他部分</translation>
    </message>
    <message numerus="yes">
        <source>%n more change(s)</source>
        <translation>
            <numerusform>还有 %n 处变化</numerusform>
        </translation>
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
    <name>CitedPageBar</name>
    <message>
        <source>Check for changes</source>
        <translation>检查是否有变化</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Show changes</source>
        <translation>显示变化</translation>
    </message>
    <message>
        <source>Show page</source>
        <translation>显示网页</translation>
    </message>
    <message>
        <source>Save page…</source>
        <translation>保存网页…</translation>
    </message>
    <message>
        <source>Reading the page again…</source>
        <translation>正在重新读取网页…</translation>
    </message>
    <message>
        <source>Save page</source>
        <translation>保存网页</translation>
    </message>
    <message>
        <source>Saved as “{name}”.</source>
        <translation>已保存为“{name}”。</translation>
    </message>
</context>
<context>
    <name>CitedPagesPanel</name>
    <message>
        <source>Please wait…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Delete saved pages…</source>
        <translation>删除保存的网页…</translation>
    </message>
    <message numerus="yes">
        <source>%n saved page(s)</source>
        <translation>
            <numerusform>已保存 %n 个网页</numerusform>
        </translation>
    </message>
    <message>
        <source>No pages are saved.</source>
        <translation>没有保存的网页。</translation>
    </message>
    <message>
        <source>Delete all saved pages?</source>
        <translation>删除所有保存的网页？</translation>
    </message>
    <message>
        <source>This can’t be undone. Answers keep the passages that they cite. Backups still contain the pages.</source>
        <translation>此操作无法撤销。回答引用的段落仍会保留。备份中仍有这些网页。</translation>
    </message>
    <message>
        <source>Delete pages</source>
        <translation>删除网页</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Search chats, files, models, settings and actions</source>
        <translation>搜索对话、文件、模型、设置和操作</translation>
    </message>
    <message>
        <source>Search everything</source>
        <translation>全局搜索</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>No results. Try another word.</source>
        <translation>没有结果。请换个词试试。</translation>
    </message>
    <message>
        <source>↑ ↓ to choose · Enter to open · Esc to close</source>
        <translation>↑ ↓ 选择 · Enter 打开 · Esc 关闭</translation>
    </message>
    <message>
        <source>Enter to use · Ctrl+Enter to compare · Esc to close</source>
        <translation>Enter 使用 · Ctrl+Enter 加入比较 · Esc 关闭</translation>
    </message>
</context>
<context>
    <name>ComparisonDialog</name>
    <message>
        <source>Compare models</source>
        <translation>比较模型</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
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
        <source>Choose two to four models. Each answers the same question from the same sources.</source>
        <translation>选择两到四个模型；它们依据同样的来源回答同一个问题。</translation>
    </message>
    <message>
        <source>Comparing needs two models. Add a provider in Settings &gt; Models.</source>
        <translation>比较需要两个模型。请在“设置 &gt; 模型”中添加服务商。</translation>
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
        <source>Save a fact for every chat</source>
        <translation>保存一条供所有对话使用的信息</translation>
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
        <source>Save message as prompt</source>
        <translation>将消息存为提示词</translation>
    </message>
    <message>
        <source>Manage prompts…</source>
        <translation>管理提示词…</translation>
    </message>
    <message>
        <source>Saved as prompt “{name}”. Type / to use it.</source>
        <translation>已存为提示词“{name}”，输入 / 即可使用。</translation>
    </message>
    <message>
        <source>{server} is preparing “{prompt}”</source>
        <translation>{server} 正在准备“{prompt}”</translation>
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
        <source>Enter to insert · Esc to dismiss</source>
        <translation>Enter 使用 · Esc 关闭</translation>
    </message>
    <message>
        <source>Enter to use · Ctrl+Enter to compare</source>
        <translation>Enter 使用 · Ctrl+Enter 加入比较</translation>
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
        <source>Ask about a document. Attach it or choose one from Knowledge</source>
        <translation>想从文档中了解什么？请添加文档，或从知识库选择</translation>
    </message>
    <message>
        <source>What should the text be about?</source>
        <translation>文章要写什么？</translation>
    </message>
    <message>
        <source>Paste a text or an address, or attach a file to check</source>
        <translation>粘贴要核查的文字或网址，或附上文件</translation>
    </message>
    <message>
        <source>Ask anything. Type @ to mention, / for commands</source>
        <translation>想问什么？输入 @ 提及，输入 / 使用命令</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Add files, tasks and options</source>
        <translation>添加文件、任务和选项</translation>
    </message>
    <message>
        <source>Ask anything</source>
        <translation>想问什么？</translation>
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
    <name>ConfigurationPanel</name>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Settings &gt; Developer &gt; Edit config: claude_desktop_config.json</source>
        <translation>“设置”&gt;“开发者”&gt;“编辑配置”：claude_desktop_config.json</translation>
    </message>
    <message>
        <source>~/.cursor/mcp.json, or .cursor/mcp.json of a project</source>
        <translation>~/.cursor/mcp.json，或项目中的 .cursor/mcp.json</translation>
    </message>
    <message>
        <source>Command “MCP: Open User Configuration”, or .vscode/mcp.json of a folder</source>
        <translation>命令“MCP: Open User Configuration”，或文件夹中的 .vscode/mcp.json</translation>
    </message>
    <message>
        <source>Settings &gt; MCP servers &gt; Add &gt; Import from JSON</source>
        <translation>“设置”&gt;“MCP 服务器”&gt;“添加”&gt;“从 JSON 导入”</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>{percent}% of context used</source>
        <translation>上下文已用 {percent}%</translation>
    </message>
    <message>
        <source>About {count} tokens</source>
        <translation>约 {count} 词元</translation>
    </message>
    <message>
        <source>{count} tokens used</source>
        <translation>已用 {count} 词元</translation>
    </message>
    <message>
        <source>This message: about {count} tokens</source>
        <translation>这条消息：约 {count} 词元</translation>
    </message>
    <message>
        <source>Earlier messages: about {count} of {space}</source>
        <translation>之前的消息：约 {count}，可用 {space}</translation>
    </message>
    <message>
        <source>Older messages that don’t fit are left out.</source>
        <translation>超出上下文的较早消息会被省略。</translation>
    </message>
    <message>
        <source>Used so far: {given} input tokens, {made} output tokens</source>
        <translation>累计：输入 {given} 词元，输出 {made} 词元</translation>
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
    <name>ConversationTable</name>
    <message>
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Chats</source>
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
        <source>Chat</source>
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
        <source>Already here</source>
        <translation>是否已存在</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>无标题</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Yes, the same</source>
        <translation>是，相同</translation>
    </message>
    <message>
        <source>Yes, newer</source>
        <translation>是，版本较新</translation>
    </message>
    <message>
        <source>Yes, older</source>
        <translation>是，版本较旧</translation>
    </message>
</context>
<context>
    <name>ConversationView</name>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>{count} chats</source>
        <translation>{count} 个对话</translation>
    </message>
</context>
<context>
    <name>CourseBar</name>
    <message>
        <source>{done} of {most} pages</source>
        <translation>已读 {done} / {most} 页</translation>
    </message>
    <message numerus="yes">
        <source>at most %n minute(s) left</source>
        <translation>
            <numerusform>最多还需 %n 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>took %n second(s)</source>
        <translation>
            <numerusform>用时 %n 秒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>took %n minute(s)</source>
        <translation>
            <numerusform>用时 %n 分钟</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>CustomEngineDialog</name>
    <message>
        <source>Add search engine</source>
        <translation>添加搜索引擎</translation>
    </message>
    <message>
        <source>Edit search engine</source>
        <translation>编辑搜索引擎</translation>
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
        <source>Search on that site and copy the address. Replace your search words in it with %s.</source>
        <translation>在该网站搜索，然后复制结果页面的地址。将其中的搜索词换成 %s。</translation>
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
        <source>Enter an address that starts with https:// or http://.</source>
        <translation>请输入以 https:// 或 http:// 开头的地址。</translation>
    </message>
    <message>
        <source>%s can’t be part of the site name.</source>
        <translation>%s 不能出现在网站名称中。</translation>
    </message>
    <message>
        <source>Add %s where the search words go.</source>
        <translation>请在搜索词的位置填写 %s。</translation>
    </message>
    <message>
        <source>An engine with this address already exists.</source>
        <translation>已有使用此地址的搜索引擎。</translation>
    </message>
    <message>
        <source>An engine with this name already exists.</source>
        <translation>已有同名的搜索引擎。</translation>
    </message>
</context>
<context>
    <name>CustomModelDialog</name>
    <message>
        <source>Add embedding model</source>
        <translation>添加嵌入模型</translation>
    </message>
    <message>
        <source>Enter the Hugging Face name of a Sentence Transformers model, or choose its folder.</source>
        <translation>填写 Sentence Transformers 模型在 Hugging Face 上的名称，或选择其文件夹。</translation>
    </message>
    <message>
        <source>Hugging Face name or folder</source>
        <translation>Hugging Face 名称或文件夹</translation>
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
        <source>This model is already in the list.</source>
        <translation>这个模型已在列表中。</translation>
    </message>
    <message>
        <source>This folder has no model: config.json is missing.</source>
        <translation>此文件夹中没有模型：缺少 config.json。</translation>
    </message>
    <message>
        <source>Enter the name as on Hugging Face, for example {example}.</source>
        <translation>名称须与 Hugging Face 上一致，例如 {example}。</translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation>模型所在的文件夹</translation>
    </message>
</context>
<context>
    <name>DetailButton</name>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Error details</source>
        <translation>错误的详细信息</translation>
    </message>
</context>
<context>
    <name>DiagnosticRow</name>
    <message>
        <source>OK</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>需要注意</translation>
    </message>
    <message>
        <source>Not working</source>
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
        <source>Settings for {name}</source>
        <translation>相关设置：{name}</translation>
    </message>
</context>
<context>
    <name>DiagnosticsPanel</name>
    <message>
        <source>Run check</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>Create report…</source>
        <translation>生成诊断报告…</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message numerus="yes">
        <source>%n check(s) need attention</source>
        <translation>
            <numerusform>%n 项需要注意</numerusform>
        </translation>
    </message>
    <message>
        <source>No problems found.</source>
        <translation>没有发现问题。</translation>
    </message>
</context>
<context>
    <name>DrawingEngine</name>
    <message numerus="yes">
        <source>It took more than %n second(s).</source>
        <translation>
            <numerusform>绘制超过了 %n 秒。</numerusform>
        </translation>
    </message>
    <message>
        <source>It needs too much memory.</source>
        <translation>所需内存过多。</translation>
    </message>
</context>
<context>
    <name>Drawings</name>
    <message>
        <source>Copy drawing</source>
        <translation>复制图形</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>另存为 PNG…</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>另存为 SVG…</translation>
    </message>
    <message>
        <source>It is too long.</source>
        <translation>内容过长。</translation>
    </message>
    <message>
        <source>The drawing couldn’t be copied or saved. {problem}</source>
        <translation>图形无法复制或保存。{problem}</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>It is not valid.</source>
        <translation>内容无效。</translation>
    </message>
</context>
<context>
    <name>DropController</name>
    <message>
        <source>Folders can’t be attached. Add the folder to a knowledge base instead.</source>
        <translation>无法附加文件夹，请将它添加到知识库。</translation>
    </message>
    <message>
        <source>Add to a knowledge base…</source>
        <translation>添加到知识库…</translation>
    </message>
    <message>
        <source>Couldn’t find: {names}</source>
        <translation>找不到文件：{names}</translation>
    </message>
</context>
<context>
    <name>DropZone</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n 个文件</numerusform>
        </translation>
    </message>
    <message>
        <source>Attach to message</source>
        <translation>附加到这条消息</translation>
    </message>
    <message>
        <source>Use for your next question</source>
        <translation>用于下一个问题</translation>
    </message>
    <message>
        <source>Summarize</source>
        <translation>文档速读</translation>
    </message>
    <message>
        <source>Get an outline and key points with page numbers</source>
        <translation>提纲与要点，附页码</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>核查</translation>
    </message>
    <message>
        <source>Compare every claim with its sources</source>
        <translation>将每条说法与来源比对</translation>
    </message>
    <message>
        <source>Add to knowledge base</source>
        <translation>加入知识库</translation>
    </message>
    <message>
        <source>Search it in any chat</source>
        <translation>可在任何对话中检索</translation>
    </message>
</context>
<context>
    <name>EditBar</name>
    <message>
        <source>Cancel edit</source>
        <translation>取消编辑</translation>
    </message>
    <message>
        <source>Cancel edit  Esc</source>
        <translation>取消编辑  Esc</translation>
    </message>
    <message>
        <source>Editing “{question}”. The original stays available as an earlier version.</source>
        <translation>正在编辑“{question}”。原来的版本会保留。</translation>
    </message>
</context>
<context>
    <name>EffortSwitch</name>
    <message>
        <source>Reasoning effort</source>
        <translation>思考强度</translation>
    </message>
</context>
<context>
    <name>EngineOrder</name>
    <message>
        <source>Add search engine…</source>
        <translation>添加搜索引擎…</translation>
    </message>
</context>
<context>
    <name>EngineRow</name>
    <message>
        <source>Move {engine} up</source>
        <translation>上移 {engine}</translation>
    </message>
    <message>
        <source>Edit {engine}</source>
        <translation>编辑 {engine}</translation>
    </message>
    <message>
        <source>Verify…</source>
        <translation>验证…</translation>
    </message>
    <message>
        <source>Working, usually answers in {seconds} s.</source>
        <translation>工作正常，通常 {seconds} 秒内返回结果。</translation>
    </message>
    <message>
        <source>Paused for {seconds} s.</source>
        <translation>已暂停，{seconds} 秒后恢复。</translation>
    </message>
</context>
<context>
    <name>ErasePanel</name>
    <message>
        <source>Please wait…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Restore all</source>
        <translation>全部恢复</translation>
    </message>
    <message>
        <source>Delete permanently…</source>
        <translation>彻底删除…</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s)</source>
        <translation>
            <numerusform>%n 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s)</source>
        <translation>
            <numerusform>%n 条记忆</numerusform>
        </translation>
    </message>
    <message>
        <source>Can be restored: {chats}, {memories}</source>
        <translation>可恢复：{chats}，{memories}</translation>
    </message>
    <message numerus="yes">
        <source>Also delete from %n backup(s)</source>
        <translation>
            <numerusform>同时从 %n 个备份中删除</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete permanently?</source>
        <translation>要彻底删除吗？</translation>
    </message>
    <message>
        <source>All backups are replaced by one of your current data. This can’t be undone.</source>
        <translation>所有备份将由当前数据的一份备份取代。此操作无法撤销。</translation>
    </message>
    <message>
        <source>This can’t be undone. Earlier backups still contain the items.</source>
        <translation>此操作无法撤销。以前的备份中仍有这些内容。</translation>
    </message>
    <message>
        <source>Delete permanently</source>
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
        <source>Drawing</source>
        <translation>图形</translation>
    </message>
    <message>
        <source>Copied answer with sources.</source>
        <translation>已复制回答和来源。</translation>
    </message>
    <message>
        <source>Copy answer with sources</source>
        <translation>复制回答和来源</translation>
    </message>
    <message>
        <source>Copy as image</source>
        <translation>复制为图片</translation>
    </message>
    <message>
        <source>Copy sources</source>
        <translation>复制来源</translation>
    </message>
    <message>
        <source>Share as page…</source>
        <translation>分享为网页…</translation>
    </message>
    <message>
        <source>Save answer</source>
        <translation>保存回答</translation>
    </message>
    <message>
        <source>Save answer with findings</source>
        <translation>保存回答及研究发现</translation>
    </message>
    <message>
        <source>Save chat</source>
        <translation>保存对话</translation>
    </message>
    <message>
        <source>Footnote file (JSON)…</source>
        <translation>Footnote 文件（JSON）…</translation>
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
        <source>Saved as “{name}”. It is {height} pixels high; some programs open only {limit}.</source>
        <translation>已保存为“{name}”。图片高 {height} 像素；有些程序最多只能打开 {limit} 像素。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Creating the image</source>
        <translation>正在生成图片</translation>
    </message>
    <message>
        <source>Copied as an image of {width} × {height} pixels.</source>
        <translation>已复制为 {width} × {height} 像素的图片。</translation>
    </message>
    <message>
        <source>The image couldn’t be created. Save the answer as PDF.</source>
        <translation>无法生成图片。请将回答保存为 PDF。</translation>
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
        <source>Please wait…</source>
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
        <source>{count} removed. Your files were not changed.</source>
        <translation>已移除 {count} 项。你的文件没有变化。</translation>
    </message>
</context>
<context>
    <name>FileChip</name>
    <message>
        <source>This file no longer exists.</source>
        <translation>文件已不存在。</translation>
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
        <source>Filter by name</source>
        <translation>按名称筛选</translation>
    </message>
    <message>
        <source>Filter by state</source>
        <translation>按状态筛选</translation>
    </message>
    <message>
        <source>Filter by tag</source>
        <translation>按标签筛选</translation>
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
        <source>Find in this chat</source>
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
        <source>Stop watching</source>
        <translation>停止监视</translation>
    </message>
    <message>
        <source>No watched folders</source>
        <translation>没有监视的文件夹</translation>
    </message>
    <message>
        <source>Changes in a watched folder appear in the knowledge base automatically.</source>
        <translation>监视文件夹中的变化会自动反映到知识库中。</translation>
    </message>
    <message>
        <source>Watched folders of “{base}”</source>
        <translation>“{base}”监视的文件夹</translation>
    </message>
    <message>
        <source>Changes in these folders appear in the knowledge base automatically.</source>
        <translation>这些文件夹中的变化会自动反映到知识库中。</translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>User guide</source>
        <translation>用户指南</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>HistoryDialog</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Cite in message</source>
        <translation>在消息中引用</translation>
    </message>
    <message>
        <source>Search all messages</source>
        <translation>搜索所有消息</translation>
    </message>
    <message>
        <source>Search words, or a “phrase in quotes”</source>
        <translation>输入关键词，或“带引号的短语”</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Enter to open · Ctrl+Enter to cite in your message</source>
        <translation>Enter 打开 · Ctrl+Enter 在消息中引用</translation>
    </message>
    <message>
        <source>Search every message, including archived chats.
Use quotes for an exact phrase.</source>
        <translation>搜索所有消息，包括已归档的对话。
用引号查找完整短语。</translation>
    </message>
    <message>
        <source>Indexing messages by meaning: {share}%…</source>
        <translation>正在建立消息的语义索引：{share}%…</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>No results. Try removing a filter.</source>
        <translation>没有结果。请尝试减少筛选条件。</translation>
    </message>
    <message>
        <source>No results. Try fewer or different words.</source>
        <translation>没有结果。请减少词语或换个说法。</translation>
    </message>
    <message>
        <source>{share}% of messages indexed by meaning</source>
        <translation>{share}% 的消息已建立语义索引</translation>
    </message>
    <message>
        <source>Indexing older messages: {share}% searchable</source>
        <translation>正在索引较早的消息：{share}% 可搜索</translation>
    </message>
    <message numerus="yes">
        <source>More than %n result(s)</source>
        <translation>
            <numerusform>超过 %n 条结果</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n result(s)</source>
        <translation>
            <numerusform>%n 条结果</numerusform>
        </translation>
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
        <source>Custom range…</source>
        <translation>自定义日期…</translation>
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
        <source>Similar meaning</source>
        <translation>语义相近</translation>
    </message>
    <message>
        <source>Also find messages that say the same in other words. Runs on this computer.</source>
        <translation>同时查找意思相同、说法不同的消息。在本机运行。</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>作者</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>至</translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>{title} (archived)</source>
        <translation>{title}（已归档）</translation>
    </message>
    <message>
        <source>Chat</source>
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
        <source>image</source>
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
        <source>Use its settings</source>
        <translation>使用其中的设置</translation>
    </message>
    <message numerus="yes">
        <source>%n knowledge base(s)</source>
        <translation>
            <numerusform>%n 个知识库</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>From {program}: %n chat(s), {missing} new.</source>
        <translation>
            <numerusform>来自 {program}：%n 个对话，其中 {missing} 个是新的。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s).</source>
        <translation>
            <numerusform>%n 条记忆。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) imported.</source>
        <translation>
            <numerusform>已导入 %n 个对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>正在读取文件…</translation>
    </message>
    <message>
        <source>And {count} more like this.</source>
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
        <source>Finding files…</source>
        <translation>正在查找文件…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) added to “{base}”</source>
        <translation>
            <numerusform>已向“{base}”添加 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n not added</source>
        <translation>
            <numerusform>%n 项未添加</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link(s) point outside the folder. Point here to see them.</source>
        <translation>
            <numerusform>%n 个链接指向文件夹之外。指向此处可查看。</numerusform>
        </translation>
    </message>
    <message>
        <source>See Knowledge for the rest.</source>
        <translation>其余的列在“知识库”中。</translation>
    </message>
</context>
<context>
    <name>InspectorController</name>
    <message>
        <source>No search details were saved for this answer.</source>
        <translation>没有保存此回答的检索详情。</translation>
    </message>
</context>
<context>
    <name>InspectorDialog</name>
    <message>
        <source>Sources and searches</source>
        <translation>来源与搜索</translation>
    </message>
</context>
<context>
    <name>InspectorView</name>
    <message>
        <source>Sources and searches</source>
        <translation>来源与搜索</translation>
    </message>
    <message>
        <source>Search again and regenerate</source>
        <translation>重新搜索并重新生成</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Searches and sources are shown here as they come.</source>
        <translation>搜索和来源会陆续显示在这里。</translation>
    </message>
    <message>
        <source>Nothing was searched for this answer.</source>
        <translation>此回答没有进行搜索。</translation>
    </message>
    <message>
        <source>Include and regenerate</source>
        <translation>重新采用并生成</translation>
    </message>
    <message>
        <source>Exclude and regenerate</source>
        <translation>排除并重新生成</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pin for this chat</source>
        <translation>后续问题继续使用</translation>
    </message>
</context>
<context>
    <name>ItemsPage</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Try a search…</source>
        <translation>测试检索…</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Items in the knowledge base</source>
        <translation>知识库中的条目</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>No matching items</source>
        <translation>没有匹配的条目</translation>
    </message>
    <message>
        <source>Drop files, folders or links here</source>
        <translation>把文件、文件夹或链接拖到这里</translation>
    </message>
    <message>
        <source>PDFs, scans, Office files, email, e-books, web pages, images and code. They are read on this computer.</source>
        <translation>PDF、扫描件、Office 文件、邮件、电子书、网页、图片和代码。都在本机读取。</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在载入…</translation>
    </message>
</context>
<context>
    <name>JsonField</name>
    <message>
        <source>Too long</source>
        <translation>内容太长</translation>
    </message>
    <message>
        <source>Not saved: Footnote sets {names} itself.</source>
        <translation>未保存：{names} 由 Footnote 自行设置。</translation>
    </message>
    <message>
        <source>Not saved: enter a JSON object such as {example}.</source>
        <translation>未保存：这里要填一个 JSON 对象，例如 {example}。</translation>
    </message>
</context>
<context>
    <name>KeyCard</name>
    <message>
        <source>Use an API key</source>
        <translation>使用 API 密钥</translation>
    </message>
    <message>
        <source>OpenAI, Anthropic, DeepSeek and others. Tried once, then saved in the system keyring.</source>
        <translation>OpenAI、Anthropic、DeepSeek 等。先试用一次，再保存到系统密钥环。</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>服务商</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Paste an API key</source>
        <translation>粘贴 API 密钥</translation>
    </message>
    <message>
        <source>Choose provider</source>
        <translation>选择服务商</translation>
    </message>
    <message>
        <source>OpenAI, Anthropic, DeepSeek and others. No keyring was found, so a key is kept until you quit.</source>
        <translation>OpenAI、Anthropic、DeepSeek 等。没有找到密钥环，因此密钥只保留到退出时。</translation>
    </message>
    <message>
        <source>A key for {provider}.</source>
        <translation>这是 {provider} 的密钥。</translation>
    </message>
    <message>
        <source>Only the first {count} keys are used.</source>
        <translation>只使用前 {count} 个密钥。</translation>
    </message>
    <message>
        <source>Canceled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Choose the provider that this key is from.</source>
        <translation>请选择这个密钥所属的服务商。</translation>
    </message>
    <message>
        <source>Connecting to {provider}…</source>
        <translation>正在连接 {provider}…</translation>
    </message>
    <message>
        <source>Trying {model}…</source>
        <translation>正在试用 {model}…</translation>
    </message>
    <message>
        <source>{provider} did not accept this key. Copy the whole key again.</source>
        <translation>{provider} 不接受这个密钥。请重新复制完整的密钥。</translation>
    </message>
    <message>
        <source>{provider} can’t be reached. Check your connection and try again.</source>
        <translation>无法连接 {provider}。请检查网络连接，然后重试。</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>KnowledgeField</name>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>KnowledgeManager</name>
    <message>
        <source>Drop to create a knowledge base</source>
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
        <source>Add your own sources</source>
        <translation>添加你自己的资料</translation>
    </message>
    <message>
        <source>Collect papers, manuals, email, books, web pages and notes that answers can cite. Drop files or a folder here. Everything stays on this computer.</source>
        <translation>收集回答可以引用的论文、手册、邮件、书籍、网页和笔记。把文件或文件夹拖到这里。所有内容都保存在本机。</translation>
    </message>
    <message>
        <source>The note was not saved.</source>
        <translation>笔记没有保存。</translation>
    </message>
    <message>
        <source>Keep editing</source>
        <translation>继续编辑</translation>
    </message>
    <message>
        <source>“{text}” is not a web address.</source>
        <translation>“{text}”不是网页地址。</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Wait for the current import or export to finish, or cancel it.</source>
        <translation>请等当前的导入或导出完成，或取消它。</translation>
    </message>
</context>
<context>
    <name>KnowledgeSwitch</name>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>{count} knowledge bases</source>
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
        <source>They run other embedding, reranking and entailment models on this computer. The models that come with Footnote don’t need them.</source>
        <translation>用于在本机运行其他嵌入、重排序和蕴含模型。Footnote 自带的模型不需要它们。</translation>
    </message>
    <message>
        <source>Installed.</source>
        <translation>已安装。</translation>
    </message>
    <message>
        <source>They take about 1 GB of disk space (about 300 MB to download).</source>
        <translation>占用约 1 GB 磁盘空间（需下载约 300 MB）。</translation>
    </message>
    <message>
        <source>Nothing can be added to this installation of Footnote. To use them, install Footnote with the command below. Your data stays.</source>
        <translation>无法向这个版本的 Footnote 添加软件包。要使用它们，请在终端中用下面的命令安装 Footnote。你的数据会保留。</translation>
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
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在本机运行</translation>
    </message>
    <message>
        <source>A model that Footnote downloads and runs. It sends nothing to other computers.</source>
        <translation>由 Footnote 下载并运行的模型，不向其他电脑发送任何内容。</translation>
    </message>
    <message>
        <source>No local server found. Ollama, LM Studio and llama.cpp are found when they run.</source>
        <translation>没有找到本机服务器。正在运行的 Ollama、LM Studio 和 llama.cpp 会被自动找到。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>{server} is running, but has no model yet.</source>
        <translation>{server} 正在运行，但还没有模型。</translation>
    </message>
    <message>
        <source>Use {model} on this computer</source>
        <translation>使用本机的 {model}</translation>
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
        <source>Download and start</source>
        <translation>下载并开始</translation>
    </message>
    <message>
        <source>Download {model} and start with it</source>
        <translation>下载 {model} 并用它开始</translation>
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
        <source>Delete this model and free {size} of disk space?</source>
        <translation>删除此模型并释放 {size} 磁盘空间？</translation>
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
        <source>Remove {model} from the list; its file stays</source>
        <translation>从列表中移除 {model}，文件保留</translation>
    </message>
    <message>
        <source>about {size} of memory</source>
        <translation>约占内存 {size}</translation>
    </message>
    <message>
        <source>{size} on this computer</source>
        <translation>已在本机，{size}</translation>
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
        <source>Checking the downloaded file…</source>
        <translation>正在校验下载的文件…</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done}，共 {total}</translation>
    </message>
</context>
<context>
    <name>LocalOnlySwitch</name>
    <message>
        <source>Keep this chat on this computer: no web, no tools, local models only</source>
        <translation>让此对话只留在本机：不联网、不用工具，只用本机模型</translation>
    </message>
    <message>
        <source>Keep this chat on this computer</source>
        <translation>让这个对话只留在本机</translation>
    </message>
    <message>
        <source>Local only</source>
        <translation>仅本机</translation>
    </message>
</context>
<context>
    <name>LoginRow</name>
    <message>
        <source>Starts hidden in the system tray, if available.</source>
        <translation>启动后最小化到托盘（如有）。</translation>
    </message>
</context>
<context>
    <name>LoopbackPanel</name>
    <message>
        <source>Run “footnote mcp --http” for programs that connect to an address. Enter {address} there, with the header “Authorization: Bearer” and this token.</source>
        <translation>对于通过地址连接的程序，请运行“footnote mcp --http”。在程序中填入 {address}，请求头为“Authorization: Bearer”加此令牌。</translation>
    </message>
    <message>
        <source>Copy token</source>
        <translation>复制令牌</translation>
    </message>
    <message>
        <source>New token</source>
        <translation>新令牌</translation>
    </message>
    <message>
        <source>The old token stops working when the server is started again.</source>
        <translation>服务器重新启动后，旧令牌失效。</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>McpServerCard</name>
    <message>
        <source>Please wait…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
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
        <source>Edit {server}</source>
        <translation>编辑 {server}</translation>
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
        <source>Continue in your browser.</source>
        <translation>请在浏览器中继续。</translation>
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
        <source>Already in memory: “{fact}”</source>
        <translation>记忆中已有：“{fact}”</translation>
    </message>
    <message>
        <source>Saved to memory: “{fact}”</source>
        <translation>已存入记忆：“{fact}”</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Example: I am vegetarian.</source>
        <translation>例如：我吃素。</translation>
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
        <source>Search memories</source>
        <translation>搜索记忆</translation>
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
        <source>Applies to</source>
        <translation>适用于</translation>
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
        <source>No memories yet. Add facts for every chat to use, or type /remember in a message.</source>
        <translation>暂无记忆。添加供所有对话使用的信息，或在消息中输入“/记住”。</translation>
    </message>
    <message>
        <source>No matching memories</source>
        <translation>没有匹配的记忆</translation>
    </message>
    <message>
        <source>All assistants</source>
        <translation>全部助手</translation>
    </message>
    <message>
        <source>Forgotten</source>
        <translation>已忘记</translation>
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
    <message numerus="yes">
        <source>%n memory(s) added or updated</source>
        <translation>
            <numerusform>已添加或更新 %n 条记忆</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s) exported</source>
        <translation>
            <numerusform>已导出 %n 条记忆</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemorySwitch</name>
    <message>
        <source>Memory: on in this chat</source>
        <translation>记忆：在此对话中开启</translation>
    </message>
    <message>
        <source>Memory: off in this chat</source>
        <translation>记忆：在此对话中关闭</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>Quote in message</source>
        <translation>引用到消息</translation>
    </message>
    <message>
        <source>Remember this</source>
        <translation>记住这句话</translation>
    </message>
    <message>
        <source>Add to knowledge base as note…</source>
        <translation>作为笔记加入知识库…</translation>
    </message>
    <message>
        <source>Copy question</source>
        <translation>复制问题</translation>
    </message>
    <message>
        <source>Edit question</source>
        <translation>编辑问题</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Compare with another model…</source>
        <translation>与其他模型比较…</translation>
    </message>
    <message>
        <source>Remember this question</source>
        <translation>记住这个问题</translation>
    </message>
    <message>
        <source>New chat from here</source>
        <translation>从这里开始新对话</translation>
    </message>
    <message>
        <source>Delete question and answer</source>
        <translation>删除问题和回答</translation>
    </message>
    <message>
        <source>Delete this and everything after</source>
        <translation>删除此条及之后的所有内容</translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Copy as image</source>
        <translation>复制为图片</translation>
    </message>
    <message>
        <source>Share or export…</source>
        <translation>分享或导出…</translation>
    </message>
    <message>
        <source>Share as page…</source>
        <translation>分享为网页…</translation>
    </message>
    <message>
        <source>Save as image…</source>
        <translation>保存为图片…</translation>
    </message>
    <message>
        <source>Resume answer</source>
        <translation>继续回答</translation>
    </message>
    <message>
        <source>Quote answer in message</source>
        <translation>引用回答到消息</translation>
    </message>
    <message>
        <source>Sources and searches…</source>
        <translation>来源与搜索…</translation>
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
        <source>Review the plan before searching</source>
        <translation>开始前确认计划</translation>
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
        <source>Reset to detected values</source>
        <translation>恢复检测值</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 词元</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>回答的最大长度</translation>
    </message>
    <message>
        <source>Price per million input tokens</source>
        <translation>每百万输入词元的价格</translation>
    </message>
    <message>
        <source>Price per million output tokens</source>
        <translation>每百万输出词元的价格</translation>
    </message>
    <message>
        <source>Currency</source>
        <translation>货币</translation>
    </message>
    <message>
        <source>Per million, input and output</source>
        <translation>每百万词元，输入与输出</translation>
    </message>
</context>
<context>
    <name>ModelList</name>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Not available now</source>
        <translation>当前不可用</translation>
    </message>
    <message>
        <source>No model found</source>
        <translation>没有找到模型</translation>
    </message>
</context>
<context>
    <name>ModelMenu</name>
    <message>
        <source>Manage models…</source>
        <translation>管理模型…</translation>
    </message>
</context>
<context>
    <name>ModelPanel</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message numerus="yes">
        <source>Hide details of %n model(s)</source>
        <translation>
            <numerusform>隐藏 %n 个模型的详情</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show details of %n model(s)</source>
        <translation>
            <numerusform>显示 %n 个模型的详情</numerusform>
        </translation>
    </message>
    <message>
        <source>The server provides no details about this model.</source>
        <translation>服务器没有提供它的信息。</translation>
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
        <source>up to {count} tokens</source>
        <translation>最多 {count} 词元</translation>
    </message>
    <message>
        <source>{languages} and {count} more</source>
        <translation>{languages}，另有 {count} 种</translation>
    </message>
    <message>
        <source>many languages</source>
        <translation>多种语言</translation>
    </message>
    <message>
        <source>your server</source>
        <translation>你自己的服务器</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内置</translation>
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
        <translation>比较…</translation>
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
        <source>Write or paste text. Markdown is supported.</source>
        <translation>输入或粘贴文字，支持 Markdown。</translation>
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
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>NotificationRow</name>
    <message>
        <source>Send test notification</source>
        <translation>发送测试通知</translation>
    </message>
    <message>
        <source>A test notification was sent. Click it.</source>
        <translation>已发送测试通知，请点击它。</translation>
    </message>
    <message>
        <source>This is a test notification.</source>
        <translation>这是一条测试通知。</translation>
    </message>
    <message>
        <source>Notifications work.</source>
        <translation>通知工作正常。</translation>
    </message>
    <message>
        <source>The notification was dismissed.</source>
        <translation>通知已关闭。</translation>
    </message>
    <message>
        <source>This desktop doesn’t show notifications. The tray icon is used, if available.</source>
        <translation>此桌面不显示通知；如有托盘图标，则由它显示。</translation>
    </message>
</context>
<context>
    <name>Notifications</name>
    <message>
        <source>The answer is ready.</source>
        <translation>回答已完成。</translation>
    </message>
    <message>
        <source>The answer was interrupted. {reason}</source>
        <translation>回答中断了。{reason}</translation>
    </message>
    <message>
        <source>“{tool}” needs your permission.</source>
        <translation>“{tool}”需要你的许可。</translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) added to “{base}”</source>
        <translation>
            <numerusform>已向“{base}”添加 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n item(s) not added</source>
        <translation>
            <numerusform>%n 项未添加</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OpenBases</name>
    <message>
        <source>No knowledge bases yet</source>
        <translation>还没有知识库</translation>
    </message>
</context>
<context>
    <name>OptionalChoices</name>
    <message>
        <source>None yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>OptionalFloat</name>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
</context>
<context>
    <name>OptionalInt</name>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
</context>
<context>
    <name>OptionsPage</name>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Used to search by meaning. After a change, passages are indexed again in the background.</source>
        <translation>用于语义检索。更换后会在后台重新建立索引。</translation>
    </message>
    <message>
        <source>Passage length</source>
        <translation>段落长度</translation>
    </message>
    <message>
        <source>In tokens. Applies to new files; choose “Read all again” for the rest.</source>
        <translation>以词元计。对新文件生效；其余文件请用“全部重新读取”。</translation>
    </message>
    <message>
        <source>Passages per question</source>
        <translation>每个问题的段落数</translation>
    </message>
    <message>
        <source>The maximum number of passages sent from this knowledge base.</source>
        <translation>每个问题最多采用此知识库的段落数。</translation>
    </message>
    <message>
        <source>Minimum score</source>
        <translation>最低分数</translation>
    </message>
    <message>
        <source>The reranker score a passage needs, from 0 to 1.</source>
        <translation>段落所需的重排序分数，0 到 1。</translation>
    </message>
    <message>
        <source>Minimum relevance</source>
        <translation>相关度下限</translation>
    </message>
    <message>
        <source>Without a reranker: the share of the best score a passage needs. 0 keeps all.</source>
        <translation>没有重排序模型时：段落至少达到最高分的比例。0 表示全部保留。</translation>
    </message>
    <message>
        <source>Index location</source>
        <translation>索引位置</translation>
    </message>
    <message>
        <source>This computer, or a Chroma server from Settings &gt; Knowledge.</source>
        <translation>本机，或“设置 &gt; 知识库”中的 Chroma 服务器。</translation>
    </message>
    <message>
        <source>Settings of “{base}”</source>
        <translation>“{base}”的设置</translation>
    </message>
    <message>
        <source>Indexing with “{new}”. “{old}” is used until it is finished.</source>
        <translation>正在用“{new}”建立索引；完成之前使用“{old}”。</translation>
    </message>
    <message>
        <source>Default: {name}</source>
        <translation>默认：{name}</translation>
    </message>
    <message>
        <source>This computer</source>
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
        <source>{count} chats archived</source>
        <translation>已归档 {count} 个对话</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>{count} chats deleted</source>
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
        <source>Folder and chats deleted</source>
        <translation>文件夹及其中的对话已删除</translation>
    </message>
</context>
<context>
    <name>PaletteController</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Search all messages for “{words}”</source>
        <translation>在所有消息中搜索“{words}”</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>This chat</source>
        <translation>当前对话</translation>
    </message>
    <message>
        <source>Last answer</source>
        <translation>最后一条回答</translation>
    </message>
    <message>
        <source>Check citations</source>
        <translation>核对引用</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
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
        <source>indexing…</source>
        <translation>正在建立索引…</translation>
    </message>
</context>
<context>
    <name>PassagesPage</name>
    <message>
        <source>Loading passages…</source>
        <translation>正在载入段落…</translation>
    </message>
    <message>
        <source>Search passages</source>
        <translation>搜索段落</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>Full passage</source>
        <translation>完整段落</translation>
    </message>
    <message>
        <source>Open at this passage</source>
        <translation>打开此段落</translation>
    </message>
    <message>
        <source>{shown} of {total}</source>
        <translation>共 {total} 个，显示 {shown} 个</translation>
    </message>
    <message numerus="yes">
        <source>%n passage(s)</source>
        <translation>
            <numerusform>%n 个段落</numerusform>
        </translation>
    </message>
    <message>
        <source>The file is too long. Only the beginning was read.</source>
        <translation>文件过长，只读取了开头部分。</translation>
    </message>
    <message>
        <source>This file hasn’t been read yet, so it has no passages.</source>
        <translation>此文件尚未读取，因此没有段落。</translation>
    </message>
</context>
<context>
    <name>PastAnswerChip</name>
    <message>
        <source>This answer no longer exists. The question will be sent without it.</source>
        <translation>此回答已不存在，发送的问题将不包含它。</translation>
    </message>
    <message>
        <source>Don’t cite “{title}”</source>
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
        <source>The cited chat stays on this computer, so this chat does too.</source>
        <translation>引用的对话只留在本机，所以此对话也只留在本机。</translation>
    </message>
</context>
<context>
    <name>PasteController</name>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文字</translation>
    </message>
    <message>
        <source>Long text was attached as a file.</source>
        <translation>长文字已作为文件附上。</translation>
    </message>
    <message>
        <source>Paste as text</source>
        <translation>改为粘贴文本</translation>
    </message>
</context>
<context>
    <name>PasteDialog</name>
    <message>
        <source>Paste configuration</source>
        <translation>粘贴配置</translation>
    </message>
    <message>
        <source>Paste JSON with “mcpServers”. Keys and tokens are stored in the system keyring.</source>
        <translation>粘贴含有“mcpServers”的 JSON。密钥和令牌保存在系统密钥环中。</translation>
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
    <name>PlusMenu</name>
    <message>
        <source>Attach files…</source>
        <translation>添加附件…</translation>
    </message>
    <message>
        <source>Research</source>
        <translation>研究</translation>
    </message>
    <message>
        <source>Keep this chat on this computer</source>
        <translation>此对话只留在本机</translation>
    </message>
    <message>
        <source>Use memory in this chat</source>
        <translation>在此对话中使用记忆</translation>
    </message>
</context>
<context>
    <name>PrivatePassagesDialog</name>
    <message>
        <source>Private sources</source>
        <translation>私有来源</translation>
    </message>
    <message>
        <source>Only you can see these sources. Select those to include in the file. The answers stay the same.</source>
        <translation>以下来源只有你能看到。请选择文件可以包含的来源。回答的文字保持不变。</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message numerus="yes">
        <source>%n passage(s) left out</source>
        <translation>
            <numerusform>已省略 %n 个段落</numerusform>
        </translation>
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
        <source>Add examples</source>
        <translation>添加示例</translation>
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
        <source>For example: Explain {blank} to a beginner.</source>
        <translation>例如：向初学者解释{blank}。</translation>
    </message>
    <message>
        <source>No prompts yet. Save text you send often and type / to insert it. Use {blank} for parts to fill in.</source>
        <translation>暂无提示词。保存常用文字，输入 / 即可插入。用 {blank} 表示要填写的部分。</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新提示词</translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation>已删除“{name}”。</translation>
    </message>
</context>
<context>
    <name>ProviderCard</name>
    <message>
        <source>On</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Get an API key</source>
        <translation>获取 API 密钥</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>If the server lists none</source>
        <translation>服务器不列出时填写</translation>
    </message>
    <message>
        <source>Separate several keys with commas, at most {count}. If one is refused, the next is used.</source>
        <translation>多个密钥用逗号分隔，最多 {count} 个；一个被拒绝时使用下一个。</translation>
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
        <source>Connected, but the server lists no models. Enter their names under Models.</source>
        <translation>已连接，但服务器没有列出模型。请在“模型”中填写名称。</translation>
    </message>
    <message>
        <source>Connected. {models} and {count} more</source>
        <translation>连接成功：{models}，另有 {count} 个</translation>
    </message>
    <message>
        <source>Connected. {models}</source>
        <translation>连接成功：{models}</translation>
    </message>
</context>
<context>
    <name>ProviderList</name>
    <message>
        <source>No providers yet. Add one to get written answers, or start Ollama, LM Studio or llama.cpp.</source>
        <translation>暂无服务商。添加一个即可获得模型撰写的回答，或启动 Ollama、LM Studio、llama.cpp。</translation>
    </message>
    <message>
        <source>Add provider</source>
        <translation>添加服务商</translation>
    </message>
    <message>
        <source>Works</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>Doesn’t work</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Not tested</source>
        <translation>未测试</translation>
    </message>
    <message>
        <source>New chats are still answered by Quotes. Choose a model below the message.</source>
        <translation>新对话仍由“原文摘录”回答。请在消息下方选择一个模型。</translation>
    </message>
    <message>
        <source>New chats are answered by “{model}”.</source>
        <translation>新对话将由“{model}”回答。</translation>
    </message>
    <message>
        <source>Providers</source>
        <translation>服务商</translation>
    </message>
    <message>
        <source>{provider} is running on this computer.</source>
        <translation>{provider} 正在本机运行。</translation>
    </message>
    <message>
        <source>Use {provider}</source>
        <translation>使用 {provider}</translation>
    </message>
    <message>
        <source>With an API key</source>
        <translation>需要 API 密钥</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在本机运行</translation>
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
        <source>Use system proxy</source>
        <translation>使用系统代理</translation>
    </message>
    <message>
        <source>None</source>
        <translation>不使用</translation>
    </message>
    <message>
        <source>Custom:</source>
        <translation>自定义：</translation>
    </message>
    <message>
        <source>Proxy address for {part}</source>
        <translation>代理地址：{part}</translation>
    </message>
</context>
<context>
    <name>QKeySequenceEdit</name>
    <message>
        <source>Press shortcut</source>
        <translation>请按快捷键</translation>
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
    <name>QuestionController</name>
    <message>
        <source>Comparing needs two models. Only Quotes is set up.</source>
        <translation>比较需要两个模型，目前只有“原文摘录”。</translation>
    </message>
    <message>
        <source>Set up a model…</source>
        <translation>设置模型…</translation>
    </message>
    <message>
        <source>Attach a document first, or choose one from Knowledge.</source>
        <translation>请先添加文档，或从知识库中选择一个。</translation>
    </message>
    <message>
        <source>Attach files…</source>
        <translation>添加附件…</translation>
    </message>
</context>
<context>
    <name>QuickKeyRow</name>
    <message>
        <source>Ask a question from any program.</source>
        <translation>在任何程序中提问。</translation>
    </message>
    <message>
        <source>Press it now to test it.</source>
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
        <source>Continue in main window</source>
        <translation>在主窗口中继续</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Folders can’t be attached here.</source>
        <translation>此处不能附加文件夹。</translation>
    </message>
</context>
<context>
    <name>QuotesCard</name>
    <message>
        <source>Start without a model</source>
        <translation>不用模型直接开始</translation>
    </message>
    <message>
        <source>Quotes replies with exact sentences from your sources. No key, no account. It works offline with your files, but can’t write new text.</source>
        <translation>“原文摘录”用来源中的原句回答。无需密钥和账号。离线时从你的文件回答，但不能撰写新内容。</translation>
    </message>
    <message>
        <source>Continue with Quotes</source>
        <translation>先用“原文摘录”</translation>
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
        <source>Enter an address that starts with https:// or http://.</source>
        <translation>请输入以 https:// 或 http:// 开头的地址。</translation>
    </message>
    <message>
        <source>“{text}” is not a number up to {most}.</source>
        <translation>“{text}”不是不超过 {most} 的数字。</translation>
    </message>
</context>
<context>
    <name>RecordList</name>
    <message>
        <source>“{name}” was removed.</source>
        <translation>“{name}”已移除。</translation>
    </message>
</context>
<context>
    <name>ReleaseNotesDialog</name>
    <message>
        <source>What’s new</source>
        <translation>新功能</translation>
    </message>
    <message>
        <source>What’s new in Footnote {version}</source>
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
        <source>Turn off update checks</source>
        <translation>关闭更新检查</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>打开网页</translation>
    </message>
    <message>
        <source>Footnote {version} is available</source>
        <translation>Footnote {version} 已发布</translation>
    </message>
    <message>
        <source>Released {day}. You have {version}. Nothing is installed automatically.</source>
        <translation>发布于 {day}。你使用的是 {version}。不会自动安装任何内容。</translation>
    </message>
    <message>
        <source>See the web page for what’s new.</source>
        <translation>网页上有新功能的说明。</translation>
    </message>
    <message>
        <source>Changes since version {version}.</source>
        <translation>自 {version} 版以来的变化。</translation>
    </message>
    <message>
        <source>No changes are listed for this version.</source>
        <translation>更新日志中没有关于此版本的内容。</translation>
    </message>
    <message>
        <source>Before updating your data, Footnote made and checked a backup: {moment}. Find it in Settings &gt; Data.</source>
        <translation>更新数据之前，Footnote 已制作并检查备份：{moment}。可在“设置 &gt; 数据”中找到。</translation>
    </message>
    <message>
        <source>Before a new version changes your data, it makes and checks a backup. Latest backup: {moment}. See Settings &gt; Data.</source>
        <translation>新版本更改数据之前会先制作并检查备份。最新备份：{moment}。见“设置 &gt; 数据”。</translation>
    </message>
    <message>
        <source>Update checks are off. Turn them on in Settings &gt; Program.</source>
        <translation>已关闭更新检查。可在“设置 &gt; 程序”中打开。</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>API keys and your folder name are removed. Check it for other private details before you share it.</source>
        <translation>已去除 API 密钥和你的文件夹名称。分享前请检查其他隐私内容。</translation>
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
    <name>RequestsPanel</name>
    <message>
        <source>No requests yet</source>
        <translation>暂无请求</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Clear list</source>
        <translation>清空列表</translation>
    </message>
</context>
<context>
    <name>RerankerOffer</name>
    <message>
        <source>“{base}” has {count} passages. A reranker can put the best ones first: {models}. Footnote hasn’t measured the improvement.</source>
        <translation>“{base}”有 {count} 个段落。重排序模型可将最相关的排在前面：{models}。Footnote 未测量其效果。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
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
        <source>Backup from {moment}</source>
        <translation>{moment} 的备份</translation>
    </message>
    <message>
        <source>Restore selected items and keep everything else</source>
        <translation>恢复所选内容，保留其他内容</translation>
    </message>
    <message>
        <source>Replace everything with this backup</source>
        <translation>用此备份替换全部内容</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Replace everything</source>
        <translation>全部替换</translation>
    </message>
    <message>
        <source>Use its settings</source>
        <translation>使用其中的设置</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>正在读取文件…</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Knowledge bases: {names}. They replace your current ones, which are backed up first.</source>
        <translation>知识库：{names}。它们将取代现有的知识库；会先备份现有的。</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s), {missing} not here.</source>
        <translation>
            <numerusform>%n 个对话，其中 {missing} 个本机没有。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s).</source>
        <translation>
            <numerusform>%n 条记忆。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) not in this backup will be removed.</source>
        <translation>
            <numerusform>%n 个不在此备份中的对话将被移除。</numerusform>
        </translation>
    </message>
    <message>
        <source>Your current data is backed up first.</source>
        <translation>会先备份当前数据。</translation>
    </message>
    <message numerus="yes">
        <source>%n chat(s) restored.</source>
        <translation>
            <numerusform>已恢复 %n 个对话。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n memory(s) restored.</source>
        <translation>
            <numerusform>已恢复 %n 条记忆。</numerusform>
        </translation>
    </message>
    <message>
        <source>Everything in this backup is already here. Older versions are added beside the current ones.</source>
        <translation>此备份中的内容均已存在。较旧的版本会与现有版本并存。</translation>
    </message>
    <message>
        <source>Backup restored.</source>
        <translation>备份已恢复。</translation>
    </message>
</context>
<context>
    <name>SampleAnswer</name>
    <message>
        <source>What does a number in an answer mean?</source>
        <translation>回答中的编号是什么意思？</translation>
    </message>
    <message>
        <source>It stands for the passage that supports the sentence before it.</source>
        <translation>它代表支持前面这句话的原文段落。</translation>
    </message>
    <message>
        <source>See an example</source>
        <translation>查看示例</translation>
    </message>
</context>
<context>
    <name>ScopeMenu</name>
    <message>
        <source>No knowledge base yet</source>
        <translation>还没有知识库</translation>
    </message>
    <message>
        <source>Don’t use knowledge bases</source>
        <translation>不使用知识库</translation>
    </message>
    <message>
        <source>Manage knowledge…</source>
        <translation>管理知识库…</translation>
    </message>
</context>
<context>
    <name>ScopeTree</name>
    <message>
        <source>Search knowledge bases, files and tags</source>
        <translation>搜索知识库、文件和标签</translation>
    </message>
    <message>
        <source>Knowledge bases and their files</source>
        <translation>知识库及其文件</translation>
    </message>
    <message>
        <source>Please wait…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>{count} more. Type to search.</source>
        <translation>另有 {count} 个，输入即可搜索</translation>
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
        <source>No matching settings. Try another word.</source>
        <translation>没有匹配的设置。请换个词试试。</translation>
    </message>
</context>
<context>
    <name>SearchTestModel</name>
    <message>
        <source>Passage</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>Keywords</source>
        <translation>关键词</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>语义</translation>
    </message>
    <message>
        <source>Combined</source>
        <translation>综合</translation>
    </message>
    <message>
        <source>Reranked</source>
        <translation>重排序</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>是否采用</translation>
    </message>
    <message>
        <source>Keyword match (BM25); higher is better</source>
        <translation>关键词匹配（BM25），越高越好</translation>
    </message>
    <message>
        <source>Similarity in meaning (cosine); 1 is identical</source>
        <translation>语义相似度（余弦），1 为相同</translation>
    </message>
    <message>
        <source>Both searches combined; only the order matters</source>
        <translation>两种检索的综合结果，只有顺序有意义</translation>
    </message>
    <message>
        <source>Reranker score, from 0 to 1</source>
        <translation>重排序模型给出的分数，0 到 1</translation>
    </message>
</context>
<context>
    <name>SearchTestPage</name>
    <message>
        <source>Type a question</source>
        <translation>输入问题</translation>
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
        <source>Passages found</source>
        <translation>找到的段落</translation>
    </message>
    <message>
        <source>Full passage</source>
        <translation>完整段落</translation>
    </message>
    <message>
        <source>Try a search in “{base}”</source>
        <translation>在“{base}”中测试检索</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>没有结果</translation>
    </message>
    <message>
        <source>Try other words, or check that the files have been read.</source>
        <translation>换个说法，或看看文件是否已读取。</translation>
    </message>
    <message>
        <source>See how search works</source>
        <translation>查看检索过程</translation>
    </message>
    <message>
        <source>Type a question. Each passage shows its scores, and why it would be used or left out.</source>
        <translation>输入一个问题。每个段落会显示得分，以及是否采用的原因。</translation>
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
        <source>Only the first {count} keys are used</source>
        <translation>只使用前 {count} 个密钥</translation>
    </message>
    <message>
        <source>Saved. Enter a new key to replace it</source>
        <translation>已保存。输入新密钥可替换</translation>
    </message>
    <message>
        <source>API key, or several</source>
        <translation>API 密钥，可填多个</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Paste here</source>
        <translation>粘贴到此处</translation>
    </message>
    <message>
        <source>Saved. Enter new ones to replace them</source>
        <translation>已保存。输入即可替换</translation>
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
        <source>Kept until you quit Footnote</source>
        <translation>保留到退出 Footnote 为止</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>SecretVariables</name>
    <message>
        <source>Add secret variable</source>
        <translation>添加机密变量</translation>
    </message>
</context>
<context>
    <name>ServerDialog</name>
    <message>
        <source>Add tool server</source>
        <translation>添加工具服务器</translation>
    </message>
    <message>
        <source>Edit tool server</source>
        <translation>编辑工具服务器</translation>
    </message>
    <message>
        <source>Program on this computer</source>
        <translation>本机上的程序</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>网络地址</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Type</source>
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
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation>超时时间</translation>
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
        <source>Runs without a shell: $, *, | and &gt; have no special meaning.</source>
        <translation>不经过 shell 启动：$、*、| 和 &gt; 没有特殊含义。</translation>
    </message>
    <message>
        <source>Runs: {words}</source>
        <translation>启动：{words}</translation>
    </message>
    <message>
        <source>A tool server with this name already exists.</source>
        <translation>已有同名的工具服务器。</translation>
    </message>
</context>
<context>
    <name>ServerList</name>
    <message>
        <source>Add tool server…</source>
        <translation>添加工具服务器…</translation>
    </message>
    <message>
        <source>Paste configuration…</source>
        <translation>粘贴配置…</translation>
    </message>
    <message>
        <source>No tool servers yet. They let models read your calendar, notes or a database, for example.</source>
        <translation>暂无工具服务器。它们让模型可以读取你的日历、笔记或数据库等。</translation>
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
    <name>ShortcutRow</name>
    <message>
        <source>Reset shortcut</source>
        <translation>恢复默认快捷键</translation>
    </message>
    <message>
        <source>{keys} is now assigned to “{action}”.</source>
        <translation>{keys} 现已分配给“{action}”。</translation>
    </message>
    <message>
        <source>{keys} is used for typing. Combine it with Ctrl or Alt.</source>
        <translation>{keys} 用于输入，请与 Ctrl 或 Alt 组合使用。</translation>
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
        <source>In the chat list</source>
        <translation>在对话列表中</translation>
    </message>
    <message>
        <source>Edit shortcuts…</source>
        <translation>编辑快捷键…</translation>
    </message>
    <message>
        <source>Press Esc to close.</source>
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
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message>
        <source>No matching chats</source>
        <translation>没有匹配的对话</translation>
    </message>
    <message>
        <source>Your chats appear here. Press F1 for keyboard shortcuts.</source>
        <translation>你的对话显示在这里。按 F1 查看快捷键。</translation>
    </message>
</context>
<context>
    <name>SourcePanel</name>
    <message>
        <source>Citation {at} of {count}</source>
        <translation>引用 {at} / {count}</translation>
    </message>
    <message>
        <source>Sources and searches</source>
        <translation>来源与搜索</translation>
    </message>
    <message>
        <source>Previous citation</source>
        <translation>上一处引用</translation>
    </message>
    <message>
        <source>Previous citation  Alt+←</source>
        <translation>上一处引用  Alt+←</translation>
    </message>
    <message>
        <source>Next citation</source>
        <translation>下一处引用</translation>
    </message>
    <message>
        <source>Next citation  Alt+→</source>
        <translation>下一处引用  Alt+→</translation>
    </message>
    <message>
        <source>Close panel</source>
        <translation>关闭面板</translation>
    </message>
    <message>
        <source>Close panel  Esc</source>
        <translation>关闭面板  Esc</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
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
        <source>Back to passage</source>
        <translation>回到引用段落</translation>
    </message>
    <message>
        <source>Add to knowledge base…</source>
        <translation>加入知识库…</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Open in default app</source>
        <translation>用默认程序打开</translation>
    </message>
    <message>
        <source>Open live page</source>
        <translation>打开当前网页</translation>
    </message>
    <message>
        <source>Couldn’t find the passage on this page. It may be in an image.</source>
        <translation>在这一页上没有找到该段落，它可能是图片的一部分。</translation>
    </message>
    <message>
        <source>This page, as it was read on {day}.</source>
        <translation>该网页，读取于 {day}。</translation>
    </message>
    <message>
        <source>The passage of this page, as it was read on {day}.</source>
        <translation>该网页的段落，读取于 {day}。</translation>
    </message>
    <message>
        <source>(Read again on {day})</source>
        <translation>（{day} 再次读取）</translation>
    </message>
    <message>
        <source>The file is no longer in {folder}. This passage was read on {day}.</source>
        <translation>文件已不在 {folder}。这是 {day} 读取时的段落。</translation>
    </message>
    <message>
        <source>The file has changed. This passage was read on {day}.</source>
        <translation>文件此后已更改。这是 {day} 读取时的段落。</translation>
    </message>
    <message>
        <source>The file can’t be shown here. This passage was read on {day}.</source>
        <translation>文件无法在此显示。这是 {day} 读取时的段落。</translation>
    </message>
    <message>
        <source>The file is very long. Only the part around the passage is shown.</source>
        <translation>文件很长，只显示该段落附近的部分。</translation>
    </message>
</context>
<context>
    <name>StandingApprovals</name>
    <message>
        <source>No saved permissions</source>
        <translation>暂无已保存的授权</translation>
    </message>
    <message>
        <source>Always allowed</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>Never allowed</source>
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
        <source>Line {line} was skipped: it would load external content.</source>
        <translation>已跳过第 {line} 行：它会加载外部内容。</translation>
    </message>
    <message>
        <source>Line {line} was skipped: this @ rule isn’t supported.</source>
        <translation>已跳过第 {line} 行：不支持这种 @ 规则。</translation>
    </message>
    <message>
        <source>Line {line} was skipped: the CSS is incomplete.</source>
        <translation>已跳过第 {line} 行：CSS 不完整。</translation>
    </message>
    <message>
        <source>Too long</source>
        <translation>内容太长</translation>
    </message>
</context>
<context>
    <name>SummaryBar</name>
    <message>
        <source>{count} failed</source>
        <translation>{count} 项失败</translation>
    </message>
    <message>
        <source>Retry all</source>
        <translation>全部重试</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
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
        <source>{count} searchable</source>
        <translation>{count} 项可搜索</translation>
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
        <source>Tags, separated by commas</source>
        <translation>标签，用逗号分隔</translation>
    </message>
</context>
<context>
    <name>TestButton</name>
    <message>
        <source>Please wait…</source>
        <translation>请稍候…</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
</context>
<context>
    <name>TopicsController</name>
    <message>
        <source>“{question}”: {told}</source>
        <translation>“{question}”：{told}</translation>
    </message>
</context>
<context>
    <name>TopicsDialog</name>
    <message>
        <source>Watched topics</source>
        <translation>关注的主题</translation>
    </message>
    <message>
        <source>What should Footnote look up regularly?</source>
        <translation>要定期查询什么？</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>How often</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>查到的内容</translation>
    </message>
    <message>
        <source>How often the selected topic is looked up</source>
        <translation>所选主题的查询频率</translation>
    </message>
    <message>
        <source>Tokens a month:</source>
        <translation>每月词元数：</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>关注</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>打开对话</translation>
    </message>
    <message>
        <source>Export all…</source>
        <translation>全部导出…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Uses the web, knowledge bases and model that are chosen in the message field now.</source>
        <translation>按输入框当前选择的网络、知识库和模型查询。</translation>
    </message>
    <message>
        <source>No topics yet. Write a question above, and press Watch.</source>
        <translation>还没有主题。请在上方输入问题，然后点击“关注”。</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>{count} used</source>
        <translation>已用 {count}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Look up now</source>
        <translation>立即查询</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Looking up “{question}”…</source>
        <translation>正在查询“{question}”…</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>“{question}” is no longer watched.</source>
        <translation>不再关注“{question}”。</translation>
    </message>
    <message>
        <source>Exported to {name}.</source>
        <translation>已导出到 {name}。</translation>
    </message>
</context>
<context>
    <name>TraceModel</name>
    <message>
        <source>Result</source>
        <translation>是否采用</translation>
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
        <source>Nothing was changed.</source>
        <translation>没有更改任何内容。</translation>
    </message>
</context>
<context>
    <name>TransferPanel</name>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export all data…</source>
        <translation>导出全部数据…</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Export all data</source>
        <translation>导出全部数据</translation>
    </message>
    <message>
        <source>Saved as “{name}” without API keys.</source>
        <translation>已保存为“{name}”，不含 API 密钥。</translation>
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
        <source>Saved. Enter a new one to replace it</source>
        <translation>已保存。输入即可替换</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>If the server requires one</source>
        <translation>如服务器要求</translation>
    </message>
    <message>
        <source>NAME</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Secret variable name</source>
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
        <source>Clear</source>
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
        <source>Footnote {version} is available.</source>
        <translation>Footnote {version} 已发布。</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>新功能</translation>
    </message>
</context>
<context>
    <name>UpdatePanel</name>
    <message>
        <source>Check now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>What’s new…</source>
        <translation>新功能…</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Version {version} is available.</source>
        <translation>版本 {version} 已发布。</translation>
    </message>
    <message>
        <source>Footnote is up to date.</source>
        <translation>已是最新版本。</translation>
    </message>
    <message>
        <source>Last checked {moment}.</source>
        <translation>上次检查：{moment}。</translation>
    </message>
</context>
<context>
    <name>ViewerToolbar</name>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Find in file</source>
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
        <source>Model’s own search</source>
        <translation>模型自带的搜索</translation>
    </message>
    <message>
        <source>Only {engine}</source>
        <translation>仅 {engine}</translation>
    </message>
    <message>
        <source>One search engine</source>
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
        <source>Search settings…</source>
        <translation>搜索设置…</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Answers you can check</source>
        <translation>可以核实的回答</translation>
    </message>
    <message>
        <source>Ask anything. Footnote searches the web and your files, and numbers every claim.</source>
        <translation>提出任何问题。Footnote 搜索网络和你的文件，并为每条说法编号。</translation>
    </message>
    <message>
        <source>Point to a number to see its source. Drop files onto this window to ask about them.</source>
        <translation>指向编号即可查看来源。把文件拖到窗口中，即可就文件提问。</translation>
    </message>
</context>
<context>
    <name>WelcomeController</name>
    <message>
        <source>{provider} is connected. {model} answers.</source>
        <translation>{provider} 已连接，由 {model} 回答。</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>选择其他模型</translation>
    </message>
</context>
<context>
    <name>WindowOpener</name>
    <message>
        <source>Web search needs a browser.</source>
        <translation>联网搜索需要浏览器。</translation>
    </message>
    <message>
        <source>Download…</source>
        <translation>下载…</translation>
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
        <source>A chat client whose answers cite their sources.</source>
        <translation>回答自带出处的聊天客户端。</translation>
    </message>
    <message>
        <source>Questions go to the model and search engines you choose. Chats and files stay on this computer. See Settings &gt; Privacy.</source>
        <translation>问题会发送给你选择的模型和搜索引擎。对话和文件保存在本机。见“设置 &gt; 隐私”。</translation>
    </message>
    <message>
        <source>Made with</source>
        <translation>所用组件</translation>
    </message>
    <message>
        <source>Third-party libraries, each under its own license. Footnote is under the MIT license.</source>
        <translation>其他人开发的库，各自遵循其许可证。Footnote 采用 MIT 许可证。</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>This copy is {form}.</source>
        <translation>安装方式：{form}。</translation>
    </message>
</context>
<context>
    <name>accent_choice</name>
    <message>
        <source>Blue (default)</source>
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
        <source>Gray</source>
        <translation>灰色</translation>
    </message>
    <message>
        <source>Accent color</source>
        <translation>强调色</translation>
    </message>
    <message>
        <source>Adjusted where needed for contrast.</source>
        <translation>会按需调整以保证对比度。</translation>
    </message>
</context>
<context>
    <name>actions</name>
    <message>
        <source>Chats</source>
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
        <source>Check a text</source>
        <translation>核查文本</translation>
    </message>
    <message>
        <source>Watched topics</source>
        <translation>关注的主题</translation>
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
        <source>Search everything</source>
        <translation>全局搜索</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Go to message field</source>
        <translation>转到消息框</translation>
    </message>
    <message>
        <source>Find in chat</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Search all messages</source>
        <translation>搜索所有消息</translation>
    </message>
    <message>
        <source>Next chat</source>
        <translation>下一个对话</translation>
    </message>
    <message>
        <source>Previous chat</source>
        <translation>上一个对话</translation>
    </message>
    <message>
        <source>Choose an assistant</source>
        <translation>选择助手</translation>
    </message>
    <message>
        <source>Compare models</source>
        <translation>比较模型</translation>
    </message>
    <message>
        <source>Regenerate answer</source>
        <translation>重新生成回答</translation>
    </message>
    <message>
        <source>Edit last question</source>
        <translation>编辑上一个问题</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Previous message</source>
        <translation>上一条消息</translation>
    </message>
    <message>
        <source>Next message</source>
        <translation>下一条消息</translation>
    </message>
    <message>
        <source>Previous citation</source>
        <translation>上一处引用</translation>
    </message>
    <message>
        <source>Next citation</source>
        <translation>下一处引用</translation>
    </message>
    <message>
        <source>Quote selection</source>
        <translation>引用所选文字</translation>
    </message>
    <message>
        <source>Show or hide sidebar</source>
        <translation>显示或隐藏侧边栏</translation>
    </message>
    <message>
        <source>Respond to tool request</source>
        <translation>回应工具请求</translation>
    </message>
    <message>
        <source>Show sources and searches</source>
        <translation>显示来源与搜索</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>复制最后一个回答</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Troubleshoot</source>
        <translation>问题诊断</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
</context>
<context>
    <name>appearance_page</name>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Custom CSS</source>
        <translation>自定义 CSS</translation>
    </message>
    <message>
        <source>CSS for chats, applied as you type. External content isn’t loaded.</source>
        <translation>用于对话的 CSS，边输入边生效。不加载外部内容。</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Use system setting</source>
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
        <source>Used in the window and in chats.</source>
        <translation>用于窗口和对话。</translation>
    </message>
    <message>
        <source>Window text size</source>
        <translation>窗口文字大小</translation>
    </message>
    <message>
        <source>Chat text size</source>
        <translation>对话文字大小</translation>
    </message>
    <message>
        <source>Density</source>
        <translation>界面密度</translation>
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
        <source>Compact fits more on the screen.</source>
        <translation>紧凑时一屏显示更多内容。</translation>
    </message>
    <message>
        <source>Animations</source>
        <translation>动画</translation>
    </message>
    <message>
        <source>Reduced</source>
        <translation>减少</translation>
    </message>
    <message>
        <source>Draw diagrams</source>
        <translation>绘制图形</translation>
    </message>
    <message>
        <source>Shows Mermaid, SVG and HTML in answers as drawings.</source>
        <translation>将回答中的 Mermaid、SVG 和 HTML 显示为图形。</translation>
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
        <source>{model}, the model of “{assistant}”, isn’t available. {instead} is used instead.</source>
        <translation>“{assistant}”的模型 {model} 不可用，改用 {instead}。</translation>
    </message>
    <message>
        <source>{engine}, the search engine of “{assistant}”, isn’t set up. {instead} is used instead.</source>
        <translation>“{assistant}”的搜索引擎 {engine} 尚未设置，改用 {instead}。</translation>
    </message>
    <message>
        <source>A knowledge base of “{assistant}” no longer exists.</source>
        <translation>“{assistant}”有 1 个知识库已不存在。</translation>
    </message>
    <message>
        <source>{count} knowledge bases of “{assistant}” no longer exist.</source>
        <translation>“{assistant}”有 {count} 个知识库已不存在。</translation>
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
        <source>Each assistant has its own prompt, model, tools and knowledge bases. All of them cite sources.</source>
        <translation>每个助手有自己的提示词、模型、工具和知识库。它们都会引用来源。</translation>
    </message>
    <message>
        <source>Your assistants</source>
        <translation>你的助手</translation>
    </message>
</context>
<context>
    <name>backup_places</name>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
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
        <source>Add WebDAV server…</source>
        <translation>添加 WebDAV 服务器…</translation>
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
        <source>Add S3 storage…</source>
        <translation>添加 S3 存储…</translation>
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
        <source>Hours between backups</source>
        <translation>备份间隔（小时）</translation>
    </message>
</context>
<context>
    <name>base_words</name>
    <message>
        <source>1 item</source>
        <translation>1 项</translation>
    </message>
    <message>
        <source>{count} items</source>
        <translation>{count} 项</translation>
    </message>
    <message>
        <source>Paused · {items}</source>
        <translation>已暂停 · {items}</translation>
    </message>
    <message>
        <source>Reading, {percent}%</source>
        <translation>正在读取 {percent}%</translation>
    </message>
    <message>
        <source>Indexing again, {percent}%</source>
        <translation>正在重新索引 {percent}%</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>1 passage</source>
        <translation>1 段</translation>
    </message>
    <message>
        <source>{count} passages</source>
        <translation>{count} 段</translation>
    </message>
</context>
<context>
    <name>check_words</name>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>更新</translation>
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
        <source>Models on this computer</source>
        <translation>本机模型</translation>
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
        <translation>重排序模型</translation>
    </message>
    <message>
        <source>Search engine {name}</source>
        <translation>搜索引擎 {name}</translation>
    </message>
    <message>
        <source>Provider {name}</source>
        <translation>服务商 {name}</translation>
    </message>
    <message>
        <source>Chroma server {name}</source>
        <translation>Chroma 服务器 {name}</translation>
    </message>
    <message>
        <source>Open Knowledge to see why items failed and to retry.</source>
        <translation>在“知识库”中查看失败原因并重试。</translation>
    </message>
    <message>
        <source>Test it in Settings &gt; Search.</source>
        <translation>请在“设置 &gt; 搜索”中测试。</translation>
    </message>
    <message>
        <source>Verify it in Settings &gt; Search.</source>
        <translation>请在“设置 &gt; 搜索”中验证。</translation>
    </message>
    <message>
        <source>Download one in Settings &gt; Search, or install Google Chrome.</source>
        <translation>请在“设置 &gt; 搜索”中下载，或安装 Google Chrome。</translation>
    </message>
</context>
<context>
    <name>conversation_words</name>
    <message>
        <source>pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>等待你的操作</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>有草稿</translation>
    </message>
    <message>
        <source>{name}, {count} chats, expanded</source>
        <translation>{name}，{count} 个对话，已展开</translation>
    </message>
    <message>
        <source>{name}, {count} chats, collapsed</source>
        <translation>{name}，{count} 个对话，已折叠</translation>
    </message>
    <message>
        <source>{name}, folder with {count}, expanded</source>
        <translation>{name}，文件夹，{count} 个对话，已展开</translation>
    </message>
    <message>
        <source>{name}, folder with {count}, collapsed</source>
        <translation>{name}，文件夹，{count} 个对话，已折叠</translation>
    </message>
</context>
<context>
    <name>craft_words</name>
    <message>
        <source>Summarize a document</source>
        <translation>文档速读</translation>
    </message>
    <message>
        <source>Write a draft</source>
        <translation>撰写草稿</translation>
    </message>
    <message>
        <source>Check a text</source>
        <translation>核查文本</translation>
    </message>
    <message>
        <source>Get an outline and key points of a long document</source>
        <translation>获取长文档的提纲和要点</translation>
    </message>
    <message>
        <source>Write a text from your knowledge bases</source>
        <translation>根据你的知识库撰写文章</translation>
    </message>
    <message>
        <source>Compare every claim of a text with its sources, your files and the web</source>
        <translation>将文本中的每条说法与其来源、你的文件和网络进行比对</translation>
    </message>
    <message>
        <source>Summarize this document.</source>
        <translation>总结这个文档。</translation>
    </message>
    <message>
        <source>Summarize “{name}”.</source>
        <translation>总结“{name}”。</translation>
    </message>
</context>
<context>
    <name>data_page</name>
    <message>
        <source>Chats and memories</source>
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
        <source>Language models on this computer</source>
        <translation>本机语言模型</translation>
    </message>
    <message>
        <source>Pasted images</source>
        <translation>粘贴的图片</translation>
    </message>
    <message>
        <source>Cited web pages as they were sent</source>
        <translation>引用网页的原始文件</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Site icons</source>
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
        <source>On this computer</source>
        <translation>在本机运行</translation>
    </message>
    <message>
        <source>API keys are stored in the system keyring.</source>
        <translation>API 密钥保存在系统密钥环中。</translation>
    </message>
    <message>
        <source>Data location</source>
        <translation>数据位置</translation>
    </message>
    <message>
        <source>Back up to another disk, a synchronized folder or a server.</source>
        <translation>备份到另一块磁盘、同步文件夹或服务器。</translation>
    </message>
    <message>
        <source>Import and export</source>
        <translation>导入与导出</translation>
    </message>
    <message>
        <source>Import files exported by ChatGPT, Claude, Cherry Studio, Chatbox, Open WebUI or Footnote.</source>
        <translation>导入由 ChatGPT、Claude、Cherry Studio、Chatbox、Open WebUI 或 Footnote 导出的文件。</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Backs up chats hourly and knowledge bases daily. Backups are kept for up to 8 weeks.</source>
        <translation>对话每小时备份，知识库每天备份，最多保留 8 周。</translation>
    </message>
    <message>
        <source>Off-site backups</source>
        <translation>异地备份</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>For some days</source>
        <translation>保留若干天</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Cited web pages</source>
        <translation>引用的网页</translation>
    </message>
    <message>
        <source>Citations then open the page as it was read, even offline. Pages cited in chats that stay on this computer are not saved.</source>
        <translation>之后打开引用时，看到的是当时读取的页面，离线也可以。只留在本机的对话所引用的页面不会保存。</translation>
    </message>
    <message>
        <source>Save cited pages</source>
        <translation>保存引用的网页</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>天数</translation>
    </message>
    <message>
        <source>With “For some days”, pages are deleted after this time.</source>
        <translation>选择“保留若干天”时，网页在读取这么多天后删除。</translation>
    </message>
    <message>
        <source>Also save the page itself</source>
        <translation>同时保存网页文件</translation>
    </message>
    <message>
        <source>Keeps what the site sent, compressed. You can save it as a file. It is never run.</source>
        <translation>压缩保存网站发送的内容。可以另存为文件，绝不会运行。</translation>
    </message>
    <message>
        <source>Delete saved pages</source>
        <translation>删除保存的网页</translation>
    </message>
    <message>
        <source>Portable data folder: {folder}. API keys stay in this computer’s keyring.</source>
        <translation>便携数据文件夹：{folder}。API 密钥保留在本机的密钥环中。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
</context>
<context>
    <name>effort_switch</name>
    <message>
        <source>Low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
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
        <source>Image (PNG)</source>
        <translation>图片（PNG）</translation>
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
        <source>Troubleshooting</source>
        <translation>问题诊断</translation>
    </message>
    <message>
        <source>Checks the browser, keyring, models, search engines and knowledge bases.</source>
        <translation>检查浏览器、密钥环、模型、搜索引擎和知识库。</translation>
    </message>
    <message>
        <source>Diagnostic report</source>
        <translation>诊断报告</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Errors in it may contain your questions. It stays on this computer.</source>
        <translation>其中的错误信息可能包含你的提问。日志只保存在本机。</translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation>打开日志文件夹</translation>
    </message>
    <message>
        <source>User guide</source>
        <translation>用户指南</translation>
    </message>
    <message>
        <source>Comes with Footnote and can be read offline.</source>
        <translation>随 Footnote 提供，离线也可阅读。</translation>
    </message>
    <message>
        <source>Open user guide</source>
        <translation>打开用户指南</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Show keyboard shortcuts</source>
        <translation>查看键盘快捷键</translation>
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
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>snippet only</source>
        <translation>仅用摘要</translation>
    </message>
    <message>
        <source>cached</source>
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
        <translation>分数 {score}</translation>
    </message>
    <message>
        <source>{part} of {whole}</source>
        <translation>{part}，共 {whole}</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有结果</translation>
    </message>
    <message>
        <source>1 result</source>
        <translation>1 条结果</translation>
    </message>
    <message>
        <source>{count} results</source>
        <translation>{count} 条结果</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>被拦截</translation>
    </message>
    <message>
        <source>Couldn’t read results</source>
        <translation>结果无法读取</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>Couldn’t connect</source>
        <translation>无法连接</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>已读取</translation>
    </message>
    <message>
        <source>No text on page</source>
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
        <source>Couldn’t read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Dropped: not relevant</source>
        <translation>已舍弃：与问题无关</translation>
    </message>
    <message>
        <source>Dropped: context full</source>
        <translation>已舍弃：超出上下文长度</translation>
    </message>
    <message>
        <source>Merged with identical source</source>
        <translation>已合并：与另一来源相同</translation>
    </message>
    <message>
        <source>Excluded by you</source>
        <translation>已被你排除</translation>
    </message>
    <message>
        <source>Not read: enough sources</source>
        <translation>未读取：来源已足够</translation>
    </message>
    <message>
        <source>No text</source>
        <translation>没有内容</translation>
    </message>
    <message>
        <source>Queries chosen by the model.</source>
        <translation>查询由模型选择。</translation>
    </message>
    <message>
        <source>Queries chosen by you.</source>
        <translation>查询由你指定。</translation>
    </message>
    <message>
        <source>No search was needed.</source>
        <translation>无需搜索。</translation>
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
        <source>{count} used</source>
        <translation>已采用 {count} 个</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>已采用</translation>
    </message>
    <message>
        <source>Answered from memory, so the web was not searched.</source>
        <translation>已从记忆中回答，因此没有联网搜索。</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>进行中…</translation>
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
        <source>Summarize</source>
        <translation>文档速读</translation>
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
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>标签…</translation>
    </message>
    <message>
        <source>Remove from knowledge base</source>
        <translation>从知识库移除</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Suggest a title</source>
        <translation>生成标题</translation>
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
        <source>Move to folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Unarchive</source>
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
        <source>Delete folder only</source>
        <translation>仅删除文件夹</translation>
    </message>
    <message>
        <source>Delete folder and chats</source>
        <translation>删除文件夹和对话</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>Remove from folder</source>
        <translation>移出文件夹</translation>
    </message>
    <message>
        <source>Choose icon…</source>
        <translation>选择图标…</translation>
    </message>
    <message>
        <source>Pause reading</source>
        <translation>暂停读取</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Read all again</source>
        <translation>全部重新读取</translation>
    </message>
    <message>
        <source>Try a search…</source>
        <translation>测试检索…</translation>
    </message>
    <message>
        <source>Watched folders</source>
        <translation>监视的文件夹</translation>
    </message>
    <message>
        <source>Knowledge base settings…</source>
        <translation>知识库设置…</translation>
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
        <source>Reading</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Searchable</source>
        <translation>可搜索</translation>
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
        <source>{pages} pages, {scanned} scanned</source>
        <translation>{pages} 页，其中 {scanned} 页为扫描</translation>
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
        <source>Compare words, numbers and names only.</source>
        <translation>只比较词语、数字和名称。</translation>
    </message>
    <message>
        <source>Passages keep the order of the search.</source>
        <translation>段落按检索顺序排列。</translation>
    </message>
</context>
<context>
    <name>knowledge_page</name>
    <message>
        <source>Knowledge</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Passages per question</source>
        <translation>每个问题的段落数</translation>
    </message>
    <message>
        <source>The maximum number of passages sent to the model.</source>
        <translation>发送给模型的最大段落数。</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>语义检索</translation>
    </message>
    <message>
        <source>The embedding model finds passages that say the same in other words. After a change, knowledge bases are indexed again in the background.</source>
        <translation>嵌入模型用于查找意思相同、说法不同的段落。更换后会在后台重新建立索引。</translation>
    </message>
    <message>
        <source>Embedding model choice</source>
        <translation>选择嵌入模型</translation>
    </message>
    <message>
        <source>PyTorch and Sentence Transformers, for models of your choice</source>
        <translation>PyTorch 和 Sentence Transformers，用于你选择的模型</translation>
    </message>
    <message>
        <source>Embedding servers</source>
        <translation>嵌入服务器</translation>
    </message>
    <message>
        <source>Hugging Face mirror</source>
        <translation>Hugging Face 镜像</translation>
    </message>
    <message>
        <source>Download models from this address instead.</source>
        <translation>改从此地址下载模型。</translation>
    </message>
    <message>
        <source>Citation check</source>
        <translation>引用核对</translation>
    </message>
    <message>
        <source>An entailment model checks on this computer whether passages support what cites them.</source>
        <translation>蕴含模型在本机核对段落是否支持引用它的内容。</translation>
    </message>
    <message>
        <source>Entailment model choice</source>
        <translation>蕴含模型的选择</translation>
    </message>
    <message>
        <source>Reranking</source>
        <translation>重排序</translation>
    </message>
    <message>
        <source>A reranker puts the passages that answer the question first. On this computer it takes a second or more.</source>
        <translation>重排序模型把能回答问题的段落排在前面。在本机运行需要一秒或更久。</translation>
    </message>
    <message>
        <source>Reranker choice</source>
        <translation>选择重排序模型</translation>
    </message>
    <message>
        <source>Reranking servers</source>
        <translation>重排序服务器</translation>
    </message>
    <message>
        <source>Minimum score</source>
        <translation>最低分数</translation>
    </message>
    <message>
        <source>Passages with a lower reranker score are left out. 0 keeps all.</source>
        <translation>重排序分数低于此值的段落不采用。0 表示全部保留。</translation>
    </message>
    <message>
        <source>Minimum relevance without a reranker</source>
        <translation>没有重排序模型时的相关度下限</translation>
    </message>
    <message>
        <source>Passages below this share of the best score are left out. 0 keeps all.</source>
        <translation>低于最高分此比例的段落不采用。0 表示全部保留。</translation>
    </message>
    <message>
        <source>Reading files</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>Passage length</source>
        <translation>段落长度</translation>
    </message>
    <message>
        <source>The maximum length of a passage. Applies to new files.</source>
        <translation>段落的最大长度，对新文件生效。</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 词元</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Read scans</source>
        <translation>识别扫描件</translation>
    </message>
    <message>
        <source>Reads images and pages without text by OCR on this computer.</source>
        <translation>在本机用 OCR 识别图片和没有文字的页面。</translation>
    </message>
    <message>
        <source>Describe images without text</source>
        <translation>描述没有文字的图片</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>不使用模型</translation>
    </message>
    <message>
        <source>Sends up to 20 images without text per file to this model, for searchable descriptions.</source>
        <translation>把没有文字的图片发送给此模型，以便按描述检索。每个文件最多 20 张。</translation>
    </message>
    <message>
        <source>Chroma servers</source>
        <translation>Chroma 服务器</translation>
    </message>
    <message>
        <source>A knowledge base can keep its index on a Chroma server. Choose it in the knowledge base settings.</source>
        <translation>知识库的索引可以存放在 Chroma 服务器上。请在知识库设置中选择。</translation>
    </message>
</context>
<context>
    <name>knowledge_servers</name>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>Add embedding server…</source>
        <translation>添加嵌入服务器…</translation>
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
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Only for models that support shorter vectors.</source>
        <translation>仅用于能给出更短向量的模型。</translation>
    </message>
    <message>
        <source>Question prefix</source>
        <translation>问题前缀</translation>
    </message>
    <message>
        <source>Leave empty unless the model requires it.</source>
        <translation>除非模型需要，否则留空。</translation>
    </message>
    <message>
        <source>Passage prefix</source>
        <translation>段落前缀</translation>
    </message>
    <message>
        <source>Add reranking server…</source>
        <translation>添加重排序服务器…</translation>
    </message>
    <message>
        <source>Reranking server</source>
        <translation>重排序服务器</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Add Chroma server…</source>
        <translation>添加 Chroma 服务器…</translation>
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
        <source>This model is in use. Choose another one first.</source>
        <translation>此模型正在使用，请先选择其他模型。</translation>
    </message>
    <message>
        <source>This reranker is in use. Choose another one first.</source>
        <translation>此重排序模型正在使用，请先选择其他模型。</translation>
    </message>
    <message>
        <source>In use by {bases}. Choose another one there first.</source>
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
        <source>MCP servers add tools for models. Tools ask before they run. Add only servers you trust.</source>
        <translation>MCP 服务器为模型提供工具。工具运行前会征得你的同意。请只添加你信任的服务器。</translation>
    </message>
    <message>
        <source>Saved permissions</source>
        <translation>已保存的授权</translation>
    </message>
    <message>
        <source>Tools you always allow or always block.</source>
        <translation>始终允许或拒绝的工具。</translation>
    </message>
</context>
<context>
    <name>memory_page</name>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Use memories in chats</source>
        <translation>在对话中使用记忆</translation>
    </message>
    <message>
        <source>Memories related to a question are sent with it and cited.</source>
        <translation>与问题有关的记忆会随问题发送，并被引用。</translation>
    </message>
    <message>
        <source>Saved memories</source>
        <translation>已保存的记忆</translation>
    </message>
    <message>
        <source>Stored on this computer with your chats, and in backups.</source>
        <translation>与对话一起保存在本机，也包含在备份中。</translation>
    </message>
</context>
<context>
    <name>memory_words</name>
    <message>
        <source>Added by you</source>
        <translation>由你添加</translation>
    </message>
    <message>
        <source>Suggested by a model, confirmed by you</source>
        <translation>由模型提出，经你确认</translation>
    </message>
    <message>
        <source>{assistant} only</source>
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
        <source>Web search</source>
        <translation>联网搜索</translation>
    </message>
    <message>
        <source>{given} input, {made} output per million tokens</source>
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
        <source>Same as chat model</source>
        <translation>与对话模型相同</translation>
    </message>
    <message>
        <source>Providers</source>
        <translation>服务商</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在本机运行</translation>
    </message>
    <message>
        <source>Models that Footnote downloads and runs itself. Questions, files and answers stay on this computer.</source>
        <translation>由 Footnote 下载并运行的模型。问题、文件和回答都留在本机。</translation>
    </message>
    <message>
        <source>Download a language model</source>
        <translation>下载语言模型</translation>
    </message>
    <message>
        <source>Keep a model in memory</source>
        <translation>在内存中保留模型</translation>
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
        <source>Services and servers that run language models.</source>
        <translation>运行语言模型的服务和服务器。</translation>
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
        <source>Chooses what to search for. A small, fast model is enough.</source>
        <translation>决定搜索内容，小而快的模型即可。</translation>
    </message>
    <message>
        <source>Maximum wait for search queries</source>
        <translation>等待拟定查询的最长时间</translation>
    </message>
    <message>
        <source>If the model takes longer, Footnote searches with keywords from your question.</source>
        <translation>如果模型用时更长，则用问题中的关键词搜索。</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Suggest titles for new chats</source>
        <translation>为新对话生成标题</translation>
    </message>
    <message>
        <source>Sends the first question and answer to the model for search queries.</source>
        <translation>把第一个问题和回答发送给用于搜索查询的模型。</translation>
    </message>
    <message>
        <source>Context limit</source>
        <translation>上下文上限</translation>
    </message>
    <message>
        <source>Sources and older messages beyond this limit are left out.</source>
        <translation>超出上限的来源和较早消息会省略。</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> 词元</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>回答的最大长度</translation>
    </message>
    <message>
        <source>Citations</source>
        <translation>引用</translation>
    </message>
    <message>
        <source>Compares each cited sentence with its source.</source>
        <translation>将每个引用的句子与来源比较。</translation>
    </message>
    <message>
        <source>Check citations</source>
        <translation>核对引用</translation>
    </message>
    <message>
        <source>On request and after research</source>
        <translation>按需和研究之后</translation>
    </message>
    <message>
        <source>After every answer, without a model</source>
        <translation>每次回答后，不用模型</translation>
    </message>
    <message>
        <source>After every answer, with the models below</source>
        <translation>每次回答后，使用下面的模型</translation>
    </message>
    <message>
        <source>Also check with a model</source>
        <translation>同时用模型核对</translation>
    </message>
    <message>
        <source>Sends sentences and passages to the chat model for each check.</source>
        <translation>每次核对时把句子和段落发送给对话模型。</translation>
    </message>
</context>
<context>
    <name>network_page</name>
    <message>
        <source>Local network</source>
        <translation>本地网络</translation>
    </message>
    <message>
        <source>Allowed private hosts and networks</source>
        <translation>允许的私有主机和网段</translation>
    </message>
    <message>
        <source>One per line: a host, host:port or network. For Fake-IP proxies, usually 198.18.0.0/15.</source>
        <translation>每行一个：主机、主机:端口或网段。Fake-IP 代理通常填 198.18.0.0/15。</translation>
    </message>
    <message>
        <source>Search engine addresses</source>
        <translation>搜索引擎的地址</translation>
    </message>
    <message>
        <source>One per line: an engine and its address, such as your own SearXNG.</source>
        <translation>每行一个：引擎及代替它的地址，例如自建的 SearXNG。</translation>
    </message>
    <message>
        <source>“{line}” is not a host, address or network. Examples: wiki.local, wiki.local:8080, 10.0.0.0/8.</source>
        <translation>“{line}”不是主机、地址或网段。请写成 wiki.local、wiki.local:8080 或 10.0.0.0/8。</translation>
    </message>
    <message>
        <source>“{line}” is not an engine and its address. Example: searxng https://search.example.com.</source>
        <translation>“{line}”不是引擎及其地址。请写成 searxng https://search.example.com。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Proxy for each feature</source>
        <translation>各功能的代理</translation>
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
        <source>Off-site backups</source>
        <translation>异地备份</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>http://, https:// or socks5://. Not used for this computer.</source>
        <translation>http://、https:// 或 socks5://。访问本机时不使用。</translation>
    </message>
</context>
<context>
    <name>privacy_page</name>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Footnote collects no analytics or crash reports and needs no account. Everything sent from this computer is listed here.</source>
        <translation>Footnote 不收集统计或崩溃报告，也不需要账号。从本机发出的所有内容都列在这里。</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Your next question</source>
        <translation>下一个问题</translation>
    </message>
    <message>
        <source>What will be sent, and to whom.</source>
        <translation>将发送什么，发送给谁。</translation>
    </message>
    <message>
        <source>Data recipients</source>
        <translation>数据接收方</translation>
    </message>
    <message>
        <source>Sent so far: all chats</source>
        <translation>已发送：所有对话</translation>
    </message>
    <message>
        <source>Sent from this computer</source>
        <translation>已从本机发送</translation>
    </message>
    <message>
        <source>Deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>Deleted items can be restored for a day, then they are deleted permanently.</source>
        <translation>删除的内容在一天内可以恢复，之后会被彻底删除。</translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>彻底删除</translation>
    </message>
    <message>
        <source>Sent so far: this chat</source>
        <translation>已发送：当前对话</translation>
    </message>
    <message>
        <source>Footnote doesn’t check for updates.</source>
        <translation>Footnote 不检查是否有新版本。</translation>
    </message>
    <message>
        <source>Checks {host} once a day for a new version. No data about you is sent. Turn it off in Settings &gt; Program.</source>
        <translation>每天向 {host} 检查一次新版本，不发送与你有关的数据。可在“设置 &gt; 程序”中关闭。</translation>
    </message>
    <message>
        <source>Nothing is sent. Everything stays on this computer.</source>
        <translation>不会发送任何内容，全部留在本机。</translation>
    </message>
    <message>
        <source>Nothing has been sent from this computer.</source>
        <translation>没有从本机发送过内容。</translation>
    </message>
</context>
<context>
    <name>privacy_words</name>
    <message>
        <source>Question, chat, sources and images</source>
        <translation>问题、对话、来源和图片</translation>
    </message>
    <message>
        <source>Search words</source>
        <translation>搜索用词</translation>
    </message>
    <message>
        <source>Addresses of pages and images</source>
        <translation>所取网页和图片的地址</translation>
    </message>
    <message>
        <source>Data the model passes to the tool</source>
        <translation>模型传给工具的内容</translation>
    </message>
    <message>
        <source>Passages from files, and search words</source>
        <translation>文件段落及查找的内容</translation>
    </message>
    <message>
        <source>Search words and passages found</source>
        <translation>在文件中查找的内容和找到的段落</translation>
    </message>
    <message>
        <source>Vectors of passages</source>
        <translation>段落的向量</translation>
    </message>
    <message>
        <source>Backups of chats, memories and settings</source>
        <translation>对话、记忆和设置的备份</translation>
    </message>
    <message>
        <source>Update check</source>
        <translation>更新检查</translation>
    </message>
    <message>
        <source>Not used: this chat stays on this computer</source>
        <translation>不使用：此对话只留在本机</translation>
    </message>
    <message>
        <source>on this computer</source>
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
        <source>Start at login</source>
        <translation>登录时启动</translation>
    </message>
    <message>
        <source>Quick window shortcut</source>
        <translation>快速窗口快捷键</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>This desktop doesn’t support tray icons.</source>
        <translation>当前桌面不支持托盘图标。</translation>
    </message>
    <message>
        <source>Reopen the last chat at startup</source>
        <translation>启动时打开上次的对话</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Notify me when a task finishes in the background</source>
        <translation>后台任务完成时通知我</translation>
    </message>
    <message>
        <source>Answers, research, and files being added to a knowledge base.</source>
        <translation>回答、研究，以及正在加入知识库的文件。</translation>
    </message>
    <message>
        <source>Send test notification</source>
        <translation>发送测试通知</translation>
    </message>
    <message>
        <source>Tray</source>
        <translation>托盘</translation>
    </message>
    <message>
        <source>Tray icon</source>
        <translation>托盘图标</translation>
    </message>
    <message>
        <source>Keep running when the window is closed</source>
        <translation>关闭窗口后继续运行</translation>
    </message>
    <message>
        <source>Open it again from the tray icon.</source>
        <translation>可通过托盘图标重新打开。</translation>
    </message>
    <message>
        <source>Quick window</source>
        <translation>快速窗口</translation>
    </message>
    <message>
        <source>Asks {host}. No data about you is sent, and nothing is installed automatically.</source>
        <translation>向 {host} 询问，不发送与你有关的数据，也不会自动安装。</translation>
    </message>
    <message>
        <source>No update address is set, so Footnote doesn’t check for updates.</source>
        <translation>没有设置更新地址，因此不检查更新。</translation>
    </message>
    <message>
        <source>Keep an unpacked copy</source>
        <translation>保留解包后的文件</translation>
    </message>
    <message>
        <source>Footnote starts several times faster, but takes 1.4 GB. Applies from the next start.</source>
        <translation>启动快好几倍，占用 1.4 GB。下次启动后生效。</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Check for updates once a day</source>
        <translation>每天检查一次是否有新版本</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>新功能</translation>
    </message>
    <message>
        <source>Update address</source>
        <translation>更新地址</translation>
    </message>
    <message>
        <source>Leave empty for the default.</source>
        <translation>留空则使用默认地址。</translation>
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
        <source>Summarize this in five points, most important first: {text}</source>
        <translation>用五点概括下面的内容，最重要的放在最前：{text}</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Translate this into natural Chinese: {text}</source>
        <translation>请把下面的文字译成英文，意思忠实，语气自然：{text}</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>翻译</translation>
    </message>
    <message>
        <source>Make this clearer and shorter, keep my tone, and list your changes: {text}</source>
        <translation>把下面的话说得更清楚、更简短，保留我的语气。最后列出你改了什么：{text}</translation>
    </message>
    <message>
        <source>Improve writing</source>
        <translation>润色</translation>
    </message>
    <message>
        <source>Explain {topic} to a beginner, with an everyday example.</source>
        <translation>向从没听说过的人解释{topic}，并举一个日常生活中的例子。</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>What are the pros and cons of {topic}? Give the strongest argument on each side with its source.</source>
        <translation>{topic}有哪些支持和反对的理由？各举最有力的一条，并注明来源。</translation>
    </message>
    <message>
        <source>Pros and cons</source>
        <translation>正反两面</translation>
    </message>
</context>
<context>
    <name>prompts_page</name>
    <message>
        <source>Writing</source>
        <translation>输入</translation>
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
        <source>Shift+Enter always inserts a line break.</source>
        <translation>Shift+Enter 始终换行。</translation>
    </message>
    <message>
        <source>Attach pasted text as a file if longer than</source>
        <translation>粘贴的文字超过多长时作为文件</translation>
    </message>
    <message>
        <source>Ctrl+Shift+V always pastes into the message.</source>
        <translation>Ctrl+Shift+V 总是粘贴到消息里。</translation>
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
        <source>Text you send often. Type / in the message field to insert one.</source>
        <translation>你常发送的文字。在消息框中输入 / 即可插入。</translation>
    </message>
</context>
<context>
    <name>reading_page</name>
    <message>
        <source>Pages</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Text sent from each page</source>
        <translation>每个网页发送的内容</translation>
    </message>
    <message>
        <source>Relevant passages only</source>
        <translation>仅相关段落</translation>
    </message>
    <message>
        <source>Beginning of the page</source>
        <translation>仅网页开头</translation>
    </message>
    <message>
        <source>Full text, as far as it fits</source>
        <translation>网页全文（受上下文限制）</translation>
    </message>
    <message>
        <source>If a page can’t be read</source>
        <translation>无法从本机读取网页时</translation>
    </message>
    <message>
        <source>Use a connected service</source>
        <translation>使用已连接的服务</translation>
    </message>
    <message>
        <source>Do nothing</source>
        <translation>不使用其他服务</translation>
    </message>
    <message>
        <source>The service receives the page address, never a private one.</source>
        <translation>该服务会收到网页地址，但不会收到内部网络的地址。</translation>
    </message>
    <message>
        <source>Sites</source>
        <translation>网站</translation>
    </message>
    <message>
        <source>One per line: example.com, *.example.com/shop/*, or a regular expression between slashes.</source>
        <translation>每行一条：example.com、*.example.com/shop/*，或斜线之间的正则表达式。</translation>
    </message>
    <message>
        <source>Blocked sites</source>
        <translation>屏蔽的网站</translation>
    </message>
    <message>
        <source>Allowed sites</source>
        <translation>允许的网站</translation>
    </message>
    <message>
        <source>Leave empty to allow all sites.</source>
        <translation>留空则允许所有网站。</translation>
    </message>
    <message>
        <source>Blocklist subscriptions</source>
        <translation>订阅的屏蔽列表</translation>
    </message>
    <message>
        <source>Addresses of uBlacklist lists or hosts files, updated daily.</source>
        <translation>uBlacklist 列表或 hosts 文件的地址；每天重新获取。</translation>
    </message>
    <message>
        <source>Update lists now</source>
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
        <source>Research searches in several rounds. After each round the model decides what is still missing.</source>
        <translation>研究会进行多轮搜索，每轮之后由模型判断还缺什么。</translation>
    </message>
    <message>
        <source>Review the plan before searching</source>
        <translation>开始前确认计划</translation>
    </message>
    <message>
        <source>Nothing is searched until you approve the plan.</source>
        <translation>批准计划之前不会搜索。</translation>
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
        <source>Up to {minutes} min · {rounds} rounds · {pages} pages · {tokens} tokens</source>
        <translation>最多 {minutes} 分钟 · {rounds} 轮 · {pages} 页 · {tokens} 词元</translation>
    </message>
</context>
<context>
    <name>scope_choice</name>
    <message>
        <source>{count} files</source>
        <translation>{count} 个文件</translation>
    </message>
    <message>
        <source>1 file</source>
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
        <source>Model’s own search, if available</source>
        <translation>模型自带的搜索（若有）</translation>
    </message>
    <message>
        <source>Automatic prefers a service with a key over the engines below.</source>
        <translation>自动：优先使用有密钥的服务，其次是下面的引擎。</translation>
    </message>
    <message>
        <source>Add results from other engines</source>
        <translation>用其他引擎补充</translation>
    </message>
    <message>
        <source>If the chosen engine returns too few results, others are searched too.</source>
        <translation>你指定的引擎结果太少时，问题也会发送给其他引擎。</translation>
    </message>
    <message>
        <source>Pages read per question</source>
        <translation>每个问题阅读的网页数</translation>
    </message>
    <message>
        <source>Engines without a key</source>
        <translation>无需密钥的引擎</translation>
    </message>
    <message>
        <source>Used in this order until one returns results.</source>
        <translation>按此顺序使用，直到有结果为止。</translation>
    </message>
    <message>
        <source>Engine order</source>
        <translation>引擎的顺序</translation>
    </message>
    <message>
        <source>Services with a key</source>
        <translation>需要密钥的服务</translation>
    </message>
    <message>
        <source>API keys are stored in the system keyring, never in a file.</source>
        <translation>密钥保存在系统的密钥环中，绝不写入文件。</translation>
    </message>
    <message>
        <source>Service API keys</source>
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
        <source>Path to Chromium, Chrome or Edge. Leave empty to detect it.</source>
        <translation>Chromium、Chrome 或 Edge 的路径。留空则自动检测。</translation>
    </message>
    <message>
        <source>Detected automatically</source>
        <translation>自动检测</translation>
    </message>
    <message>
        <source>Download browser</source>
        <translation>下载浏览器</translation>
    </message>
    <message>
        <source>Result language</source>
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
        <source>Result age</source>
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
        <source>Not all engines support every option.</source>
        <translation>并非所有引擎都支持每个选项。</translation>
    </message>
</context>
<context>
    <name>serving_page</name>
    <message>
        <source>Other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>Claude Desktop, Cursor, VS Code and others can use Footnote as a tool server (MCP). They can use only what you open here.</source>
        <translation>Claude Desktop、Cursor、VS Code 等程序可以把 Footnote 用作工具服务器（MCP）。它们只能使用你在此开放的内容。</translation>
    </message>
    <message>
        <source>Tools that others may use</source>
        <translation>允许其他程序使用的工具</translation>
    </message>
    <message>
        <source>Knowledge bases that others may use</source>
        <translation>允许其他程序使用的知识库</translation>
    </message>
    <message>
        <source>Their contents are sent to the other program, and from there to its model.</source>
        <translation>其中的内容会发送给其他程序，并由它发送给它的模型。</translation>
    </message>
    <message>
        <source>Set up a program</source>
        <translation>设置程序</translation>
    </message>
    <message>
        <source>Copy this into the configuration of the program.</source>
        <translation>将此内容复制到该程序的配置中。</translation>
    </message>
    <message>
        <source>Configuration for other programs</source>
        <translation>其他程序的配置</translation>
    </message>
    <message>
        <source>Token for other programs</source>
        <translation>其他程序的令牌</translation>
    </message>
    <message>
        <source>Request log</source>
        <translation>请求记录</translation>
    </message>
    <message>
        <source>Kept on this computer only. Old entries are deleted automatically.</source>
        <translation>只保存在本机。旧记录会自动删除。</translation>
    </message>
    <message>
        <source>Requests of other programs</source>
        <translation>其他程序的请求</translation>
    </message>
</context>
<context>
    <name>serving_words</name>
    <message>
        <source>Search the web</source>
        <translation>联网搜索</translation>
    </message>
    <message>
        <source>With your search engines and keys.</source>
        <translation>使用你的搜索引擎和密钥。</translation>
    </message>
    <message>
        <source>Read web pages</source>
        <translation>读取网页</translation>
    </message>
    <message>
        <source>Pages in your own network are not read.</source>
        <translation>不读取你自己网络中的网页。</translation>
    </message>
    <message>
        <source>List knowledge bases</source>
        <translation>列出知识库</translation>
    </message>
    <message>
        <source>Names and sizes of those selected below.</source>
        <translation>下方所选知识库的名称和大小。</translation>
    </message>
    <message>
        <source>Search a knowledge base</source>
        <translation>搜索知识库</translation>
    </message>
    <message>
        <source>Passages of files, links and notes in those selected below.</source>
        <translation>下方所选知识库中文件、链接和笔记的段落。</translation>
    </message>
    <message>
        <source>Ask a question</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Answered by your model, with citations. Your memories and tool servers are not used.</source>
        <translation>由你的模型回答并附引用。不使用你的记忆和工具服务器。</translation>
    </message>
    <message>
        <source>Check a text</source>
        <translation>核查文本</translation>
    </message>
    <message>
        <source>Compares each sentence with the sources.</source>
        <translation>将每个句子与来源对照。</translation>
    </message>
    <message>
        <source>unnamed program</source>
        <translation>未命名的程序</translation>
    </message>
    <message>
        <source>asked: {hosts}</source>
        <translation>询问了：{hosts}</translation>
    </message>
    <message>
        <source>refused or failed</source>
        <translation>被拒绝或失败</translation>
    </message>
</context>
<context>
    <name>settings_groups</name>
    <message>
        <source>General</source>
        <translation>通用</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Privacy and data</source>
        <translation>隐私与数据</translation>
    </message>
    <message>
        <source>Support</source>
        <translation>支持</translation>
    </message>
</context>
<context>
    <name>settings_rows</name>
    <message>
        <source>Learn more</source>
        <translation>了解更多</translation>
    </message>
</context>
<context>
    <name>shortcut_sheet</name>
    <message>
        <source>Insert line break</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Recall last question in an empty field</source>
        <translation>在空输入框中找回上一个问题</translation>
    </message>
    <message>
        <source>Insert a prompt or command</source>
        <translation>插入提示词或命令</translation>
    </message>
    <message>
        <source>Paste as text</source>
        <translation>粘贴为文本</translation>
    </message>
    <message>
        <source>Undo last action</source>
        <translation>撤销上一步操作</translation>
    </message>
    <message>
        <source>Move between citations and buttons</source>
        <translation>在引用和按钮之间移动</translation>
    </message>
    <message>
        <source>Mention an assistant, model, knowledge base or past answer</source>
        <translation>提及助手、模型、知识库或以前的回答</translation>
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
        <source>Click a field and press a shortcut. Press Backspace to clear it. If the shortcut is already used, it is reassigned.</source>
        <translation>点击输入框并按下快捷键，按退格键清除。已被使用的快捷键会转给此操作。</translation>
    </message>
    <message>
        <source>Reset all shortcuts</source>
        <translation>恢复所有默认快捷键</translation>
    </message>
</context>
<context>
    <name>source_links</name>
    <message>
        <source>This address can’t be opened: {address}</source>
        <translation>无法打开此地址：{address}</translation>
    </message>
    <message>
        <source>No program can open {address}.</source>
        <translation>系统中没有可以打开 {address} 的程序。</translation>
    </message>
    <message>
        <source>“{name}” is no longer in {folder}. Its passage is kept with the answer.</source>
        <translation>“{name}”已不在 {folder}。它提供的段落仍保存在回答中。</translation>
    </message>
    <message>
        <source>Opening “{name}” would run it. Its folder was opened instead.</source>
        <translation>系统会运行“{name}”而不是显示它，因此打开了它所在的文件夹。</translation>
    </message>
    <message>
        <source>No program can open “{name}”.</source>
        <translation>系统中没有可以打开“{name}”的程序。</translation>
    </message>
    <message>
        <source>Couldn’t open the folder {folder}.</source>
        <translation>无法显示文件夹 {folder}。</translation>
    </message>
</context>
<context>
    <name>tints</name>
    <message>
        <source>No color</source>
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
        <source>API keys won’t be saved because no unlocked keyring was found. Unlock GNOME Keyring or KWallet, then restart Footnote.</source>
        <translation>API 密钥不会被保存，因为没有找到已解锁的密钥环。请解锁 GNOME Keyring 或 KWallet，然后重新启动 Footnote。</translation>
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
        <source>Model’s own search</source>
        <translation>模型自带搜索</translation>
    </message>
    <message>
        <source>Quotes</source>
        <translation>原文摘录</translation>
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
        <source>Searchable (indexing {done} of {total})</source>
        <translation>可搜索，语义索引 {done}/{total}</translation>
    </message>
    <message>
        <source>Searchable (indexing…)</source>
        <translation>可搜索，语义索引中</translation>
    </message>
    <message>
        <source>Partly readable: {reason}</source>
        <translation>部分可读：{reason}</translation>
    </message>
    <message>
        <source>Too long: only the beginning was read</source>
        <translation>内容过长：只读取了开头部分</translation>
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
