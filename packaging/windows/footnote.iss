; Installer for one user of Windows, without administrator rights (Inno Setup 6.3 or later). NOT TRIED: it was written without
; a Windows at hand. packaging/windows/build.ps1 gives Version, Tree and Output.
#ifndef Version
  #error Run packaging/windows/build.ps1
#endif

[Setup]
AppId={{6E0B7C5C-5B0E-4B52-9B0B-6F6F746E6F74}
AppName=Footnote
AppVersion={#Version}
AppPublisher=The Footnote project
DefaultDirName={localappdata}\Programs\Footnote
DefaultGroupName=Footnote
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
OutputDir={#Output}
OutputBaseFilename=Footnote-{#Version}-setup
SetupIconFile={#Tree}\footnote.ico
UninstallDisplayIcon={app}\footnote.exe
Compression=lzma2/max
SolidCompression=yes
LZMAUseSeparateProcess=yes
WizardStyle=modern
CloseApplications=yes
ChangesAssociations=yes
ChangesEnvironment=yes

[Languages]
Name: "english"; MessagesFile: "compiler:Default.isl"

[CustomMessages]
english.AddPath=Add the command footnote-cli to the path
english.DataStay=Conversations, files and settings stay in %LOCALAPPDATA%\footnote.

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: "path"; Description: "{cm:AddPath}"; Flags: unchecked

[InstallDelete]
; What a version before had and this one has not must not be imported.
Type: filesandordirs; Name: "{app}\python"

[Files]
Source: "{#Tree}\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs ignoreversion

[Icons]
Name: "{autoprograms}\Footnote"; Filename: "{app}\footnote.exe"; AppUserModelID: "app.footnote.Footnote"
Name: "{autodesktop}\Footnote"; Filename: "{app}\footnote.exe"; Tasks: desktopicon

[Registry]
Root: HKCU; Subkey: "Software\Classes\footnote"; ValueType: string; ValueData: "URL:Footnote"; Flags: uninsdeletekey
Root: HKCU; Subkey: "Software\Classes\footnote"; ValueType: string; ValueName: "URL Protocol"; ValueData: ""
Root: HKCU; Subkey: "Software\Classes\footnote\shell\open\command"; ValueType: string; ValueData: """{app}\footnote.exe"" open ""%1"""
Root: HKCU; Subkey: "Software\Classes\Applications\footnote.exe\shell\open\command"; ValueType: string; ValueData: """{app}\footnote.exe"" open ""%1"""; Flags: uninsdeletekey
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: IsPathMissing

[Run]
Filename: "{app}\footnote.exe"; Description: "{cm:LaunchProgram,Footnote}"; Flags: nowait postinstall skipifsilent

[UninstallDelete]
Type: filesandordirs; Name: "{app}\python"

[Code]
function IsPathMissing: Boolean;
var
  Path: String;
begin
  Result := not RegQueryStringValue(HKCU, 'Environment', 'Path', Path)
    or (Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Path) + ';') = 0);
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if (Step = usPostUninstall) and not UninstallSilent then
    MsgBox(CustomMessage('DataStay'), mbInformation, MB_OK);
end;
