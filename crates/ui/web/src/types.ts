// What the server and the page say to each other, as docs/ui.md describes it. No behaviour here.

export type State = {
  version: string;
  roots: string[];
  workspace: { name: string; path: string };
  user?: string;
  now: number;
  questions: Question[];
  servers: Server[];
  failures: Failure[];
  journal: { count?: number; newest: number | null; damage?: string | null };
};

/** What may have changed while the page was away. */
export type Light = Pick<State, "now" | "questions" | "servers" | "failures" | "journal">;

export type ChangeState = "done" | "undone" | "rolled_back" | "under_way" | "unknown";
/** `other` is a directory or a link. */
export type Action = "add" | "update" | "delete" | "move" | "other";

export type FileOfChange = {
  n: number;
  action: Action;
  kind?: "file" | "directory" | "link";
  path: string;
  from?: string | null;
  before?: string | null;
  after?: string | null;
  added?: number | null;
  removed?: number | null;
  kept?: boolean;
  damaged?: boolean;
  denied?: boolean;
};

export type Change = {
  id: number;
  time: number;
  tool: string;
  agent?: string | null;
  session?: string | null;
  door?: string | null;
  state: ChangeState;
  undone_by?: number | null;
  undoes?: number | null;
  /** All changes that it undoes. */
  reverts?: number[];
  files: FileOfChange[];
  /** Files of the change that this list leaves out. */
  more_files?: number;
};

export type Changes = { changes: Change[]; more: boolean; next?: number | null; scanned?: number };

export type Sign = " " | "-" | "+";
export type Mark = [from: number, to: number];

export type DiffRow = {
  t: Sign;
  o?: number | null;
  n?: number | null;
  s: string;
  marks?: Mark[];
  /** UTF-16 units left out of a very long line. */
  cut?: number;
  eol?: "none" | "crlf" | "cr" | null;
};

export type Hunk = {
  id: string;
  n?: number;
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  header?: string | null;
  rows: DiffRow[];
  undoable?: "yes" | "no" | "gone";
};

export type FileDiff = {
  binary?: boolean;
  denied?: boolean;
  too_large?: boolean | string;
  old_name?: string | null;
  new_name?: string | null;
  hunks: Hunk[];
  more?: { next: number } | null;
  /** Lines of a huge difference that were not compared. */
  left_out?: number;
  /** Bytes that are not text are shown as U+FFFD. */
  lossy?: boolean;
};

export type Version = {
  change: number;
  time: number;
  version: string | null;
  action: Action;
  agent?: string | null;
  tool: string;
};
export type FileHistory = { path?: string; versions: Version[]; current: string | null };

export type What =
  | { changes: number[] }
  | { change: number; file: string }
  | { change: number; hunks: { file: number; hunk: string }[] }
  | { session: string }
  | { since: number }
  | { restore: { path: string; change: number; side: "before" | "after" } };
export type UndoRequest = { kind: "undo" | "redo"; what: What };

/** What an undo or redo makes of a file. */
export type UndoAction = "restored" | "recreated" | "removed";
export type PreviewFile = { path: string; action: UndoAction; from?: string | null; diff: FileDiff };
export type Conflict = {
  path: string;
  change?: number | null;
  reason: string;
  base?: string | null;
  ours?: string | null;
  theirs?: string | null;
  hint?: string | null;
  binary?: boolean;
  /** Whether the texts are only parts. */
  cut?: boolean;
  denied?: boolean;
};
export type Preview = {
  digest?: string;
  changes: number[];
  files: PreviewFile[];
  merged: string[];
  conflicts: Conflict[];
  recorded?: number | null;
  files_left_out?: number;
};

export type Access = "edit" | "read" | "external_directory";
export type QuestionFile = {
  n: number;
  path: string;
  from?: string | null;
  action: Action;
  denied?: boolean;
  mode?: number | string | null;
  sentence?: string | null;
  /** What is in a directory that would be moved. */
  inside?: string[];
  /** Whether this file may be altered before it is allowed. */
  editable?: boolean;
  hunks?: Hunk[];
  binary?: boolean;
  too_large?: boolean | string;
  before_text?: string | null;
  after_text?: string | null;
  more?: { next: number } | null;
  lossy?: boolean;
  /** The contents are missing, because they are too large to be sent. */
  left_out?: boolean;
};
export type Question = {
  id: string;
  pid: number;
  agent?: string | null;
  session?: string | null;
  tool: string;
  access: Access;
  rule?: string | null;
  patterns: string[];
  asked: number;
  deadline?: number | null;
  digest: string;
  paths: string[];
  files: QuestionFile[];
  /** How many paths and files are not in these lists. */
  left_out?: number;
  editable?: boolean;
};

export type Verdict = "once" | "always" | "no";
export type Answer = {
  digest: string;
  verdict: Verdict;
  reason?: string;
  keep?: Record<string, string[]>;
  edited?: Record<string, string>;
};
export type Answered = { id: string; by: string; verdict?: string | null };

export type Call = {
  id: string | number;
  tool: string;
  path?: string | null;
  since: number;
  progress?: number | null;
  total?: number | null;
  message?: string | null;
};
export type Server = {
  pid: number;
  agent?: string | null;
  door: string;
  since: number;
  root: string;
  dialect?: string | null;
  calls: Call[];
};
export type Failure = {
  time: number;
  tool: string;
  agent?: string | null;
  session?: string | null;
  message: string;
  path?: string | null;
};

export type RuleAction = "allow" | "ask" | "deny";
export type Rule = {
  n: number;
  kind: string;
  pattern: string;
  action: RuleAction;
  except?: string[] | string | null;
  reason?: string | null;
  source: string;
  group?: string | null;
  file?: string | null;
};
export type Rules = { rules: Rule[]; file: string };
export type Why = { verdict: RuleAction; rules: number[]; text: string };
/** `default` removes the user's own rule. */
export type RuleChange = { kind: string; pattern: string; action: RuleAction | "default" };
export type RulePreview = { diff: FileDiff; file: string; digest?: string; changes?: boolean };

export type ApiError = { error: { message: string; hint?: string; kind?: string }; by?: string };
