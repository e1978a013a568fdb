import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { Expectation, ScenarioMoment } from '@offhook/contract/assistant/scenario.ts'
import { isPattern, patternOf } from '@offhook/contract/assistant/scenario-patterns.ts'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import { plain } from '@offhook/contract/recording/recorded-call.ts'
import { actionOf, toolOf } from './call-record.ts'

/** Everything since the caller's last step, for expectations. */
export interface Observed {
  question: ScenarioMoment | undefined
  /** One entry per speech. */
  said: readonly string[]
  actions: readonly Action[]
  ended: SessionEndReason | undefined
  firstWordsMs: number | undefined
}

/** First match of a pattern in a text. Throws if it cannot be determined: patterns are untrusted, and some never terminate. */
export type Search = (pattern: RegExp, text: string) => { index: number; length: number } | undefined

const searchHere: Search = (pattern, text) => {
  const match = pattern.exec(text)
  return match ? { index: match.index, length: match[0].length } : undefined
}

/** Unmet expectations, one sentence each: expected and actual. */
export const failuresOf = (expected: Expectation, observed: Observed, search: Search = searchHere): string[] => {
  const checks = [said, notSaid, acted, usedTool, cameOut, isOver, inTime]
  const after = afterWhat(observed.question)
  return checks.flatMap((check) => check(expected, observed, search) ?? []).map((failure) => `${after}${failure}`)
}

/** The first sentence that does not occur, in order; undefined if all do. */
const firstMissing = (sentences: string | readonly string[], text: string, search: Search): string | undefined => {
  let rest = plain(text)
  let raw = text
  for (const sentence of [sentences].flat()) {
    if (isPattern(sentence)) {
      const match = searchFor(sentence, raw, search)
      if (!match) return sentence
      raw = raw.slice(match.index + match.length)
      rest = plain(raw)
      continue
    }
    const words = plain(sentence)
    const place = ` ${rest} `.indexOf(` ${words} `)
    if (place < 0) return sentence
    rest = rest.slice(place + words.length)
    raw = rest
  }
  return undefined
}

class Unsearchable extends Error {}

const searchFor = (sentence: string, text: string, search: Search): ReturnType<Search> => {
  try {
    return search(patternOf(sentence) as RegExp, text)
  } catch (error) {
    throw new Unsearchable(`${sentence} cannot be looked for: ${(error as Error).message}`)
  }
}

type Check = (expected: Expectation, observed: Observed, search: Search) => string | undefined

/** Turns a failed search into a failure of its expectation. */
const searching =
  (check: Check): Check =>
  (...about) => {
    try {
      return check(...about)
    } catch (error) {
      if (error instanceof Unsearchable) return error.message
      throw error
    }
  }

const said = searching(({ said: sentences }, observed, search) => {
  if (sentences === undefined) return undefined
  const missing = firstMissing(sentences, observed.said.join(' '), search)
  if (missing === undefined) return undefined
  const [first] = [sentences].flat()
  const before = missing !== first ? ', after what had to come before it' : ''
  return `expected to hear ${quoted(missing)}${before}, but ${heard(observed)}.`
})

const notSaid = searching(({ not_said: sentences }, observed, search) => {
  const text = observed.said.join(' ')
  const present = [sentences ?? []].flat().find((sentence) => firstMissing(sentence, text, search) === undefined)
  return present === undefined ? undefined : `expected not to hear ${quoted(present)}, but ${heard(observed)}.`
})

const acted: Check = ({ action, target }, { actions }) => {
  if (action === undefined && target === undefined) return undefined
  const type = action ?? 'transfer'
  const found = actions.some((one) => one.type === type && (target === undefined || ('target' in one && one.target === target)))
  if (found) return undefined
  const wanted = target === undefined ? type : `${type} (${target})`
  const done = actions.flatMap((one) => actionOf(one) ?? (one.type === type ? [one.type] : []))
  return `expected the action ${wanted}, but ${done.length === 0 ? 'nothing was done' : `what was done is: ${done.join(', ')}`}.`
}

const usedTool: Check = ({ tool }, { actions }) => {
  if (tool === undefined) return undefined
  const used = actions.flatMap((action) => (action.type === 'note' && action.name === 'tool' ? [toolOf(action)] : []))
  if (used.includes(tool)) return undefined
  return `expected the tool ${tool} to be used, but ${used.length === 0 ? 'none was' : `these were: ${used.join(', ')}`}.`
}

const cameOut: Check = ({ outcome }, { actions }) => {
  if (outcome === undefined) return undefined
  const notified = actions.flatMap((action) => (action.type === 'result' ? [action.outcome ?? 'none'] : [])).at(-1)
  if (notified === outcome) return undefined
  return `expected the outcome ${outcome}, but ${notified === undefined ? 'no result was told' : `it was ${notified}`}.`
}

const isOver: Check = ({ ended }, observed) => {
  if (ended === undefined || observed.ended === ended) return undefined
  const instead = observed.ended === undefined ? 'it goes on' : `it ended with ${observed.ended}`
  return `expected the call to be over (${ended}), but ${instead}.`
}

const inTime: Check = ({ within_ms: limit }, { firstWordsMs }) => {
  if (limit === undefined || (firstWordsMs !== undefined && firstWordsMs <= limit)) return undefined
  if (firstWordsMs === undefined) return `expected an answer within ${limit} ms, but nothing was said.`
  return `expected an answer within ${limit} ms, but it took ${Math.ceil(firstWordsMs)} ms.`
}

const afterWhat = (question: ScenarioMoment | undefined): string => {
  if (!question) return 'At the beginning: '
  return question.text === undefined
    ? `After the caller’s ${question.action ?? 'step'}: `
    : `After the caller said ${quoted(question.text)}: `
}

const heard = ({ said: speeches }: Observed): string =>
  speeches.length === 0 ? 'nothing was said' : `what was said is ${speeches.map(quoted).join(', ')}`

const quoted = (text: string): string => (isPattern(text) ? text : `“${text}”`)
