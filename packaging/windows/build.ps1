# Builds dist\Footnote-VERSION-setup.exe. NOT TRIED: it was written without a Windows at hand.
#   packaging\windows\build.ps1 -Python PLACE -PythonSha256 HASH [-Certificate THUMBPRINT]
# PLACE is a release of python-build-standalone, flavour install_only, for x86_64-pc-windows-msvc. Needs Inno Setup 6.3 and,
# with a certificate in the store of the user, signtool.
param(
    [Parameter(Mandatory)] [string] $Python,
    [Parameter(Mandatory)] [string] $PythonSha256,
    [string] $Certificate = ""
)
$ErrorActionPreference = "Stop"
$root = (Resolve-Path "$PSScriptRoot\..\..").Path
$work = Join-Path $root "build\dist"
$tree = Join-Path $work "tree"
$venv = Join-Path $root ".venv\Scripts\python.exe"

& $venv "$root\scripts\bundle" tree --python $Python --python-sha256 $PythonSha256
if ($LASTEXITCODE) { exit $LASTEXITCODE }
Set-Content -NoNewline -Path "$tree\INSTALLED_BY" -Value "inno"
& $venv -c "import sys; from PIL import Image; Image.open(sys.argv[1]).save(sys.argv[2], sizes=[(s, s) for s in (16, 24, 32, 48, 64, 128, 256)])" `
    "$work\share\icons\hicolor\512x512\apps\footnote.png" "$tree\footnote.ico"
if ($LASTEXITCODE) { exit $LASTEXITCODE }

$timestamps = "http://timestamp.digicert.com"
function Add-Signature([string[]] $files) {
    if ($Certificate) {
        & signtool sign /sha1 $Certificate /fd SHA256 /tr $timestamps /td SHA256 $files
        if ($LASTEXITCODE) { exit $LASTEXITCODE }
    }
}

Add-Signature @("$tree\footnote.exe", "$tree\footnote-cli.exe")
& "$tree\footnote-cli.exe" --version
if ($LASTEXITCODE) { exit $LASTEXITCODE }
$version = (& "$tree\footnote-cli.exe" --version).Split(" ")[1]
& iscc /Q "/DVersion=$version" "/DTree=$tree" "/DOutput=$root\dist" "$root\packaging\windows\footnote.iss"
if ($LASTEXITCODE) { exit $LASTEXITCODE }
Add-Signature @("$root\dist\Footnote-$version-setup.exe")
