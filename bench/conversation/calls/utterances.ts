import { setTimeout as sleep } from 'node:timers/promises'
import type { Recording } from '../sets/recording.ts'
import type { UtteranceOutcome } from '../scoring/utterances.ts'
import type { Caller } from './caller.ts'

/** Recording of a caller with its kind. */
export type Utterance = Recording & UtteranceOutcome['utterance']

const turnTimeoutMs = 4_000
const answerTimeoutMs = 6_000
/** After a false split the rest arrives in a second event; milliseconds to wait for it. */
const restMs = 900
const gapMs = 500

/** One call that plays all utterances, each after the assistant has finished. */
export const sayAll = async (caller: Caller, utterances: Iterator<Utterance>, max: number): Promise<UtteranceOutcome[]> => {
  await caller.dial()
  await sleep(gapMs)
  const outcomes: UtteranceOutcome[] = []
  for (
    let next = utterances.next();
    next.done !== true;
    next = outcomes.length < max ? utterances.next() : { done: true, value: undefined }
  )
    outcomes.push(await sayOne(caller, next.value))
  await caller.hangUp()
  return outcomes
}

const sayOne = async (caller: Caller, utterance: Utterance): Promise<UtteranceOutcome> => {
  const before = caller.onEvent('user_speak').length
  const spokenBefore = caller.onEvent('assistant_speak').length
  const { last } = await caller.say(utterance.samples)
  await caller.until(() => caller.onEvent('user_speak').some(({ at }) => at >= last), turnTimeoutMs)
  await sleep(restMs)
  const turns = caller.onEvent('user_speak').slice(before)
  const lastTurn = turns.findLast(({ at }) => at >= last)
  await caller.until(() => caller.onEvent('assistant_speak').length > spokenBefore, lastTurn ? answerTimeoutMs : 0)
  const sound = lastTurn && caller.phone.firstSounds(lastTurn.at).firstSoundAt
  await sleep(gapMs)
  return {
    utterance,
    heard: turns.flatMap(({ body }) => (body.type === 'user_speak' ? body.text : [])),
    turnMs: lastTurn && lastTurn.at - last,
    firstSoundMs: lastTurn && sound !== undefined ? sound - lastTurn.at : undefined,
  }
}
