/** Token kinds, each a class of the style sheet: k keyword, s string, c comment, n number, v name. */
type Rule = readonly [kind: 'k' | 's' | 'c' | 'n' | 'v', pattern: RegExp]

const string: Rule = ['s', /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y]
const number: Rule = ['n', /\b\d+(?:\.\d+)?\b/y]

const script: readonly Rule[] = [
  ['c', /\/\/[^\n]*|\/\*[\s\S]*?\*\//y],
  ['s', /`(?:\\.|[^`\\])*`/y],
  string,
  [
    'k',
    /\b(?:await|async|break|case|catch|class|const|else|export|extends|false|for|from|function|if|import|in|interface|let|new|null|of|return|throw|true|try|type|undefined|while)\b/y,
  ],
  number,
]

const settings: readonly Rule[] = [['c', /(?:#|;|\/\/)[^\n]*/y], string, ['v', /^[ \t-]*[\w.-]+(?=\s*[:=])/my], number]

const languages: Readonly<Record<string, readonly Rule[]>> = {
  sh: [
    ['c', /(?<=^|\s)#[^\n]*/my],
    ['s', /"(?:\\.|[^"\\])*"|'[^']*'/y],
    ['v', /\$\{?\w+\}?|\b[A-Z][A-Z0-9_]*(?==)/y],
    ['k', /(?<=^|[|&;(]\s*)(?:npx|npm|node|curl|export|for|do|done|if|then|fi|cd|cat|sudo|systemctl|docker|podman|kubectl|offhook)\b/my],
  ],
  json: [['v', /"(?:\\.|[^"\\])*"(?=\s*:)/y], string, ['k', /\b(?:true|false|null)\b/y], ['n', /-?\b\d+(?:\.\d+)?\b/y]],
  ts: script,
  js: script,
  http: [['k', /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|HTTP\/[\d.]+)\b/my], ['v', /^[\w-]+(?=:)/my], string],
  xml: [['c', /<!--[\s\S]*?-->/y], ['k', /<\/?[\w:-]+|\/?>/y], ['v', /\b[\w:-]+(?==)/y], string],
  yaml: settings,
  ini: settings,
}
const names: Readonly<Record<string, string>> = {
  bash: 'sh',
  shell: 'sh',
  mjs: 'js',
  typescript: 'ts',
  yml: 'yaml',
  conf: 'ini',
  toml: 'ini',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Code as HTML with its words marked, for the few languages that the guides use. Others are left as they are. */
export const highlighted = (code: string, language: string): string => {
  const rules = languages[names[language] ?? language]
  if (!rules) return escapeHtml(code)
  let html = ''
  for (let at = 0; at < code.length;) {
    const [kind, word] = wordAt(rules, code, at)
    html += kind === undefined ? escapeHtml(word) : `<span class="${kind}">${escapeHtml(word)}</span>`
    at += word.length
  }
  return html
}

/** The token that begins here, or the text up to the next possible one. */
const wordAt = (rules: readonly Rule[], code: string, at: number): [kind: string | undefined, word: string] => {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at
    const word = pattern.exec(code)?.[0]
    if (word) return [kind, word]
  }
  return [undefined, /^(?:\w+|[^\w])/.exec(code.slice(at, at + 80))?.[0] ?? code.charAt(at)]
}
