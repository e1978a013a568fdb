import { AccountFile } from '@offhook/contract/account-file.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { Composer, isAlias, isMap, isNode, Lexer, LineCounter, Parser, visit, type CST, type Document, type Scalar } from 'yaml'
import { Mistake } from '../terminal/mistake.ts'

type Path = readonly (string | number)[]

/** A checked file, and where its parts are. */
export interface ReadFile {
  content: AccountFile
  /** Line of an entry or field, or of its closest existing parent. */
  lineOf: (path: Path) => number
}

export const maxFileBytes = 4 * 1024 * 1024
const maxDepth = 40
const maxItems = 5_000
const maxLexemes = 500_000
const maxProblems = 10

const check = bodyChecker(AccountFile)

/** Reads an account from YAML or JSON within limits. Throws a Mistake that names the file, the line, the field and what is wrong. */
export const readAccountFile = (text: string, file: string): ReadFile => {
  if (Buffer.byteLength(text) > maxFileBytes) throw new Mistake(2, `${file} has more than ${maxFileBytes / 1024 / 1024} MB.`)
  const lines = new LineCounter()
  const at = (offset: number): string => `${file}:${lines.linePos(offset).line}`
  const document = parse(text, lines, at)
  const lineOf = (path: Path): number => lines.linePos(offsetOf(document, path)).line
  try {
    return { content: check(document.toJS({ maxAliasCount: 0 })), lineOf }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { details = [] } = error
    const problems = details.slice(0, maxProblems).map(({ field, problem }) => {
      const path = field === 'body' ? [] : pathOf(field)
      return `${file}:${lineOf(path)}: ${path.length === 0 ? 'the file' : fieldOf(path)} ${problem}`
    })
    throw new Mistake(2, problems.join('\n') || `${file}: ${error.message}`)
  }
}

const parse = (text: string, lines: LineCounter, at: (offset: number) => string): Document => {
  const tokens = parseWithinBounds(text, lines, at)
  for (const token of tokens) requireFewItems(token, at)
  const documents = [...new Composer({ prettyErrors: false, lineCounter: lines, merge: false }).compose(tokens)]
  const [document, second] = documents
  if (!document) throw new Mistake(2, `${at(0)}: the file is empty.`)
  if (second) throw new Mistake(2, `${at(second.range[0])}: a second document begins. Write one account in one file.`)
  const [broken] = document.errors
  if (broken) throw new Mistake(2, `${at(broken.pos[0])}: ${broken.message}`)
  visit(document, (_key, node) => {
    if (isAlias(node) || (isNode(node) && 'anchor' in node && node.anchor !== undefined))
      throw new Mistake(2, `${at(node.range?.[0] ?? 0)}: anchors and aliases are not allowed. Write the value out.`)
  })
  return document
}

/** The composer recurses, so depth and size are bounded before it. */
const parseWithinBounds = (text: string, lines: LineCounter, at: (offset: number) => string): CST.Token[] => {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  const tokens: CST.Token[] = []
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > maxDepth) throw new Mistake(2, `${at(parser.offset)}: it is nested more than ${maxDepth} deep.`)
    if (++lexemes > maxLexemes) throw new Mistake(2, `${at(parser.offset)}: the file has too many values.`)
  }
  tokens.push(...parser.end())
  return tokens
}

/** Keys of an object are compared with each other. */
const requireFewItems = (token: CST.Token, at: (offset: number) => string): void => {
  if (token.type === 'document' && token.value) requireFewItems(token.value, at)
  if (!('items' in token)) return
  if (token.items.length > maxItems) throw new Mistake(2, `${at(token.offset)}: a list or object has more than ${maxItems} items.`)
  for (const { key, value } of token.items) for (const inner of [key, value]) if (inner) requireFewItems(inner, at)
}

const pathOf = (field: string): Path => field.split('/').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** `users[1].email`, counted from 1. */
const fieldOf = (path: Path): string =>
  path.reduce<string>((field, key) => (typeof key === 'number' ? `${field}[${key + 1}]` : field === '' ? key : `${field}.${key}`), '')

const offsetOf = (document: Document, path: Path): number => {
  for (let length = path.length; length >= 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const pair = length > 0 && isMap<Scalar>(parent) ? parent.items.find(({ key }) => key.value === path[length - 1]) : undefined
    const node = pair?.key ?? document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
