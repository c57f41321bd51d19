"""Patterns of captchas, consent pages and refusals that all engines share."""

import re

from desktop.phrases import translatable
from desktop.search.engines.document import ResultDocument
from desktop.search.engines.model import Obstacle, ObstaclePattern

WORDS = {
    Obstacle.CAPTCHA: translatable("{engine} requires human verification (captcha)."),
    Obstacle.CONSENT: translatable("{engine} shows a consent page instead of results."),
    Obstacle.RATE_LIMIT: translatable(
        "{engine} has received too many requests from this network. Try again later."
    ),
    Obstacle.SCRIPT: translatable("The results of {engine} are shown only in a browser with JavaScript."),
    Obstacle.REFUSED: translatable("{engine} blocks this network or region."),
}

# Seen between 2023-05 and 2026-07 on Google, Bing, DuckDuckGo, Baidu, Yandex, Ecosia and SearXNG pages.
_COMMON = (
    ObstaclePattern(
        Obstacle.CAPTCHA,
        selector=(
            "form[action*='captcha' i], form#captcha-form, form#challenge-form, iframe[src*='captcha' i], "
            "iframe[src*='challenges.cloudflare.com'], script[src*='challenges.cloudflare.com'], "
            "script[src*='/cdn-cgi/challenge-platform'], div.g-recaptcha, div.h-captcha, div.cf-turnstile, "
            "#cf-challenge-running, #cf-turnstile, [class*='anomaly-modal'], [class*='SmartCaptcha' i], "
            "[id*='captcha' i]:not(script):not(style), script[src*='hcaptcha.com'], script[src*='recaptcha/api']"
        ),
    ),
    ObstaclePattern(
        Obstacle.CAPTCHA,
        text=(
            r"unusual (traffic|activity)|not a (ro)?bot\b|are (you )?a human|you('re| are) (a )?human"
            r"|verify(ing)? (that )?(you|your request|your browser|the user)|solve the (challenge|captcha|puzzle)"
            r"|complete the (following )?(challenge|captcha|security check)|checking (if the site|your browser)"
            r"|requests sent from your device are automated|\bcaptcha\b|smartcaptcha|security (check|verification)"
            r"|安全验证|人机验证|验证码|异常流量|访问异常|请完成.{0,6}验证|滑动.{0,6}验证|確認您不是機器人|异常访问请求"
            r"|запросы.{0,40}похожи на автоматические|подтвердите, что.{0,20}не робот|ungewöhnliche[nr]? datenverkehr"
            r"|trafic (exceptionnel|inhabituel)|tráfico inusual|tráfego incomum|通常と異なるトラフィック"
        ),
    ),
    ObstaclePattern(
        Obstacle.RATE_LIMIT,
        text=r"too many requests|rate.?limit(ed)?\b|\b429\b.{0,30}(error|requests)|请求过于频繁|访问过于频繁|操作太频繁",
    ),
    ObstaclePattern(
        Obstacle.CONSENT,
        selector="form[action*='consent.' i], form[action*='/consent' i], form[action*='consent.google'], #consent-page",
    ),
    ObstaclePattern(
        Obstacle.CONSENT,
        text=(
            r"before you continue to|bevor (sie|du) (zu|mit).{0,30}(weiter|fortf)|avant d.accéder à"
            r"|antes de (ir a|continuar)|prima di continuare|voordat je verdergaat|在您继续使用|繼續使用.{0,12}之前"
        ),
    ),
    ObstaclePattern(
        Obstacle.REFUSED,
        text=(
            r"not (yet )?available in your (country|region)|access (to this page )?(has been |is )?(denied|blocked)"
            r"|\b403\b.{0,10}forbidden|you have been blocked|your ip.{0,40}(blocked|banned)|访问被(拒绝|禁止)"
        ),
    ),
    ObstaclePattern(
        Obstacle.SCRIPT,
        selector="noscript meta[http-equiv='refresh' i], meta[http-equiv='refresh' i][content*='enablejs' i]",
    ),
    ObstaclePattern(
        Obstacle.SCRIPT,
        text=(
            r"(enable|turn on|requires?|needs?|without) javascript|javascript (is |seems )?(to be )?(disabled|required)"
            r"|having trouble accessing|(启用|開啟|开启|打开).{0,4}javascript"
        ),
    ),
)
WALL_TEXT_CHARS = 4_000
"""Barrier pages are short; a long text that mentions captchas is a page about them."""
_SHELL_TEXT_CHARS = 800
_SHELL_LINKS = 25
_LEADING_TEXT_CHARS = 6_000


def obstacle_on(document: ResultDocument, own: tuple[ObstaclePattern, ...]) -> Obstacle | None:
    """Return the obstacle on a page without results; the engine's own patterns are tried first."""
    text = document.visible_text
    for sign in own:
        if document.has(sign.selector) or (sign.text and matches_text(sign.text, text)):
            return sign.obstacle
    for sign in _COMMON:
        is_wall = len(text) < WALL_TEXT_CHARS or sign.selector
        if is_wall and (document.has(sign.selector) or (sign.text and matches_text(sign.text, text))):
            return sign.obstacle
    return Obstacle.SCRIPT if _is_shell(document, text) else None


def matches_text(pattern: str, text: str) -> bool:
    """Say whether the beginning of a page's text matches, ignoring case."""
    return re.search(pattern, text[:_LEADING_TEXT_CHARS], re.IGNORECASE) is not None


def _is_shell(document: ResultDocument, text: str) -> bool:
    """Say whether the page is an empty frame to be filled by scripts."""
    if len(text) > _SHELL_TEXT_CHARS or not document.has("script"):
        return False
    return len(document.css("body a[href]")) <= _SHELL_LINKS
