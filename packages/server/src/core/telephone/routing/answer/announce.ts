import { atMost } from '#core/kernel/work/at-most.ts'
import type { PromptName } from '#core/kernel/ports/telephony.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { Search } from '../search/search.ts'
import type { Outcome, Plan } from '../plan/plan.ts'

const maxMs = 15_000

/** Says why nobody answers, before the call is answered: it costs the caller nothing and the history calls it missed. */
export const announce = async (search: Search, { place }: Plan, prompt: PromptName): Promise<Outcome> => {
  const { call, waiting, ringback, context } = search
  if (!place || !waiting) return 'unavailable'
  const language = await context.tasks.track(languageOf(context, place.accountId))
  await ringback.open()
  ringback.stop()
  if (call.end) return 'normal'
  const playing = waiting.leg.audio.play({ prompt, language })
  await atMost(context.clock, maxMs, Promise.race([playing.done, call.over]), undefined)
  playing.stop()
  return call.end ? 'normal' : 'unavailable'
}
