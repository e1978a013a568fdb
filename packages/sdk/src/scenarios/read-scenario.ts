import { Expectation, Scenario, ScenarioStep } from '@offhook/contract/assistant/scenario.ts'
import { stepProblems } from '@offhook/contract/assistant/scenario-patterns.ts'
import { Limits } from '@offhook/contract/assistant/call-figures.ts'
import { CallersVoice, Line } from '@offhook/contract/assistant/callers-sound.ts'
import type { TObject, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { isMap, LineCounter, parseDocument, type Document, type Node, type Scalar } from 'yaml'

/** An invalid part of a scenario file. */
export interface ScenarioProblem {
  file: string
  line: number
  /** For example `steps[2].expect.said`; empty: the whole file. */
  field: string
  message: string
}

/** Every line of the message names the file, the line, the field, and what is wrong. */
export class ScenarioRefused extends Error {
  override readonly name = 'ScenarioRefused'
  readonly problems: readonly ScenarioProblem[]

  constructor(problems: readonly ScenarioProblem[]) {
    const lines = problems.map(({ file, line, field, message }) => `${file}:${line}: ${field === '' ? '' : `${field}: `}${message}`)
    super(lines.join('\n'))
    this.problems = problems
  }
}

type Path = (string | number)[]
interface Found {
  path: Path
  message: string
}

const maxProblems = 10

/** Reads a scenario from YAML or JSON. Throws ScenarioRefused. */
export const readScenario = (text: string, file: string): Scenario => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const [broken] = document.errors
  if (broken) throw new ScenarioRefused([{ file, line: lineAt(broken.pos[0]), field: '', message: broken.message }])
  const value: unknown = document.toJS()
  const problems = problemsOf(value)
  if (problems.length === 0) return value as Scenario
  throw new ScenarioRefused(
    problems.slice(0, maxProblems).map(({ path, message }) => ({
      file,
      line: lineAt(offsetOf(document, path)),
      field: fieldOf(path),
      message,
    })),
  )
}

const problemsOf = (value: unknown): Found[] => {
  if (!isObject(value)) return [{ path: [], message: 'a scenario has a name and steps' }]
  const { steps } = value
  const whole = errorsOf(Scenario, value, []).filter(({ path }) => path[0] !== 'steps' || path.length === 1)
  return [...whole, ...(Array.isArray(steps) ? steps.flatMap((step: unknown, place) => problemsOfStep(step, ['steps', place])) : [])]
}

/** Validates against the intended kind of step: errors of the whole union do not help. */
const problemsOfStep = (step: unknown, path: Path): Found[] => {
  const kinds = ScenarioStep.anyOf.map((kind) => ({ kind, name: kind.required[0] ?? '' }))
  const names = kinds.map(({ name }) => name).join(', ')
  if (!isObject(step)) return [{ path, message: `a step is one of ${names}` }]
  const meant = kinds.filter(({ name }) => name in step)
  const [first, second] = meant
  if (!first) return [{ path, message: `a step is one of ${names}, and not ${Object.keys(step).join(', ') || 'nothing'}` }]
  if (second) return [{ path, message: `${first.name} and ${second.name} are two steps: begin the second with a dash of its own` }]
  const problems = errorsOf(first.kind, step, path)
  if (problems.length > 0) return problems
  return stepProblems(step as ScenarioStep).map((problem) => ({ path: [...path, ...problem.path], message: problem.message }))
}

const errorsOf = (schema: TSchema, value: unknown, path: Path): Found[] => {
  const found = new Map<string, Found>()
  for (const { instancePath, message, keyword } of Value.Errors(schema, value)) {
    const at = [...path, ...instancePath.split('/').slice(1).map(keyOf)]
    if (keyword === 'additionalProperties' || found.has(fieldOf(at))) continue // each such field has its own error
    found.set(fieldOf(at), { path: at, message: keyword === 'boolean' ? noSuchField(at) : message })
  }
  return [...found.values()]
}

const noSuchField = (path: Path): string =>
  fieldsOf(path.at(-2))?.join(', ').replace(/^/, 'there is only ') ?? 'there is no such field here'

const known: Readonly<Record<string, TObject>> = { expect: Expectation, limits: Limits, line: Line, voice: CallersVoice }
const fieldsOf = (parent: string | number | undefined): string[] | undefined => {
  const schema = parent === undefined ? undefined : known[parent]
  return schema && Object.keys(schema.properties)
}

const keyOf = (part: string): string | number => (/^\d+$/.test(part) ? Number(part) : part)

const fieldOf = (path: Path): string =>
  path.reduce<string>((field, key) => (typeof key === 'number' ? `${field}[${key + 1}]` : field === '' ? key : `${field}.${key}`), '')

/** Offset of the node, or of its closest existing parent. */
const offsetOf = (document: Document, path: Path): number => {
  for (let length = path.length; length >= 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const pair = length > 0 && isMap<Scalar>(parent) ? parent.items.find(({ key }) => key.value === path[length - 1]) : undefined
    const node = pair?.key ?? (document.getIn(path.slice(0, length), true) as Node | undefined)
    if (node?.range) return node.range[0]
  }
  return 0
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
