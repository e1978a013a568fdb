import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import { sleep } from '../clock.ts'
import { complete, type Attempt, type ModelParts } from './chat-completions.ts'
import type { OneModel } from './flavours.ts'
import { ModelFailure, type ChatRequest, type Completion } from './messages.ts'

export interface Asked {
  signal: AbortSignal
  /** Told of each request when it is over, also of those that failed. */
  onAttempt: (attempt: Attempt, model: OneModel) => void
  stream?: boolean
}

const pauseMs = 200
const attempts = 2

/**
 * Asks the model, once more when it was busy and there is time, and then the second one. As soon as something was said nobody else is asked: two
 * halves of different answers make none.
 */
export async function* ask(
  deps: ModelParts,
  settings: ModelSettings,
  request: ChatRequest,
  asked: Asked,
): AsyncGenerator<string, Completion> {
  let failure = new ModelFailure('there is no model')
  let said = false
  for (const model of [settings, settings.second]) {
    if (!model) continue
    const { clock } = deps
    const until = clock.elapsed() + (model.first_token_ms ?? 4_000)
    for (let number = 1; number <= attempts; number++) {
      const attempt: Attempt = { model: model.name, number, request: '', response: '' }
      const words = complete(deps, model, request, { ...asked, firstTokenMs: until - clock.elapsed(), attempt })
      try {
        for (let step = await words.next(); ; step = await words.next()) {
          if (step.done) return noted(attempt, step.value)
          said = true
          yield step.value
        }
      } catch (error) {
        if (said || !(error instanceof ModelFailure)) throw error
        failure = error
      } finally {
        await words.return(undefined as never) // who does not listen to the end does not want the rest
        asked.onAttempt(attempt, model)
      }
      const waitMs = failure.afterMs ?? pauseMs
      if (!failure.again || number === attempts || clock.elapsed() + waitMs >= until) break
      await sleep(clock, waitMs, asked.signal)
      asked.signal.throwIfAborted()
    }
  }
  throw failure
}

const noted = (attempt: Attempt, completion: Completion): Completion => {
  attempt.finish = completion.finish
  attempt.promptTokens = completion.usage.prompt
  attempt.completionTokens = completion.usage.completion
  return completion
}
