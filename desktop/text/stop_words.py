"""Words that say nothing of the subject of a text, Chinese and English."""

_ENGLISH = """
a about above after again against all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing done down during each either else ever every few
for from further get gets got had has have having he her here hers herself him himself his how i if in
into is it its itself just let like made make many may me might more most much must my myself neither no
nor not now of off often on once only or other our ours out over own per please quite rather same shall
she should since so some such tell than that the their theirs them then there these they this those
though through thus to too under until up upon us very was we were what when where whether which while
who whom whose why will with within without would yet you your yours don't doesn't isn't it's
"""
_CHINESE = """
的 了 和 是 在 就 都 而 及 与 着 或 之 于 以 为 也 又 还 但 并 并且 但是 而且 因为 所以 如果 虽然 然而 不过
一 一个 一些 一种 这 那 这个 那个 这些 那些 这样 那样 这里 那里 此 其 其中 它 他 她 它们 他们 她们 我 我们 你 你们
您 自己 什么 怎么 怎样 怎么样 如何 为什么 为何 哪 哪个 哪些 哪里 哪儿 谁 多少 几 吗 呢 吧 啊 呀 嘛 哦 把 被 让 给
对 对于 关于 由 由于 从 到 向 往 跟 同 比 按 按照 根据 通过 有 没有 没 不 不是 会 能 能够 可 可以 可能 应该 要 将
已 已经 曾 曾经 正在 很 更 最 太 非常 比较 只 只是 才 再 又 上 下 中 里 内 外 前 后 时 时候 等 等等 个 们 地 得 过
来 去 说 请 请问 告诉 一下 是否 有没有 是不是 以及 或者 还是 即 则 若 各 每 该 所 者 呢 啦
的 了 嗎 為 與 對 個 們 來 過 時 後 這 這個 那個 這些 什麼 怎麼 為什麼 誰 幾 還 會 沒有 沒 讓 給 從 請 請問 說
"""
_JAPANESE = "は が を に の と で も へ や か から まで より です ます する した して いる ある この その あの どの これ それ"

STOP_WORDS = frozenset(f"{_ENGLISH} {_CHINESE} {_JAPANESE}".split())
