import type { Explanation } from '@offhook/contract/v2/explanation.ts'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import { explainEnd, explainRouting } from '../explained.ts'
import { discardedActions, endpointErrors, unheardKeys, modelErrors, problems, stoppedClaims, toolErrors } from './endpoint.ts'
import { worstFirst, type Finder, type Found, Story, turnsOf } from './story.ts'
import { packetLoss, failedCall, ledByRules, soundOfPhones } from './telephone.ts'
import { cutGoodbye, interruptions, splitTurns, unheardWords, deadAir, slowParts, slowTools } from './waiting.ts'

interface CallToExplain {
  callId: string
  entries: readonly TimelineEntry[]
  running: boolean
}

const finders: readonly Finder[] = [
  failedCall,
  soundOfPhones,
  packetLoss,
  endpointErrors,
  modelErrors,
  toolErrors,
  stoppedClaims,
  deadAir,
  cutGoodbye,
  splitTurns,
  unheardWords,
  problems,
  discardedActions,
  unheardKeys,
  slowTools,
  slowParts,
  interruptions,
  ledByRules,
]

/** Explains the course of a call; deterministic, from its timeline alone. */
export const explainCall = ({ callId, entries, running }: CallToExplain, locale: Locale): Explanation => {
  const story = new Story(entries)
  const turns = turnsOf(story)
  const found = worstFirst(finders.flatMap((find) => find(story, turns)))
  const flowId = entries.findLast((entry) => entry.flowId !== undefined)?.flowId
  const { end } = story
  const durationMs = durationOf(story)
  return {
    callId,
    ...(flowId !== undefined && { flowId }),
    running,
    ...(durationMs !== undefined && { durationMs }),
    ...(end?.by && { endedBy: end.by }),
    ...(end?.reason && { reason: end.reason }),
    outcome: outcomeOf(story, running, locale),
    turns,
    findings: found.map((one) => inWords(one, end, locale)),
  }
}

const durationOf = ({ entries, end }: Story): number | undefined => {
  const [first] = entries
  return first && end ? end.at - first.at : undefined
}

const outcomeOf = (story: Story, running: boolean, locale: Locale): string => {
  const turns = story.heard.length
  const ms = durationOf(story)
  const length =
    ms === undefined ? '' : text(locale, 'explain.lasted', { minutes: Math.floor(ms / 60_000), seconds: Math.floor(ms / 1000) % 60 })
  const spoken = text(locale, turns === 0 ? 'explain.turns.none' : turns === 1 ? 'explain.turns.one' : 'explain.turns.many', { turns })
  const end = story.end ? explainEnd(story.end, locale) : text(locale, running ? 'explain.running' : 'explain.end_unknown')
  return [end, length, spoken].filter((part) => part !== '').join(' ')
}

const inWords = (
  { code, severity, turn, text: key, values, rule, evidence }: Found,
  end: Story['end'],
  locale: Locale,
): Explanation['findings'][number] => ({
  code,
  severity,
  ...(turn !== undefined && { turn }),
  text: text(locale, key ?? `explain.${code}`, {
    ...values,
    ...(end && { end: explainEnd(end, locale) }),
    ...(rule && { rule: explainRouting(rule, locale) }),
  }),
  advice: text(locale, `explain.${code}.advice`),
  evidence: [...evidence],
})
