import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { speechOperations } from '@offhook/contract/v3/speech.ts'
import { languageTag } from '#core/account/flows/check-settings.ts'
import { TokenBuckets } from '#core/kernel/token-bucket.ts'
import type { OpenRecording } from '#core/kernel/ports/files.ts'
import { knownVoices } from '#core/speech/voices/voices.ts'
import { makeSample } from '#core/speech/voices/speech-sample.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

/** 20 per minute: a provider's voice costs the operator money, an embedded one CPU time of calls. */
const rate = { burst: 20, perSecond: 20 / 60 }
const maxAccounts = 10_000

export const speechHandlers = ({ speech, wallClock }: Pick<HandlerDeps, 'speech' | 'wallClock'>): Handlers<typeof speechOperations> => {
  const buckets = new TokenBuckets(wallClock, maxAccounts)
  return {
    listVoices: async ({ query }) => ({ items: knownVoices(speech, query) }),

    makeSpeechSample: async ({ caller: { accountId }, body }) => {
      const language = languageTag('language', body.language)
      if (!buckets.take(accountId, rate))
        throw new Problem('rate_limited', undefined, { retryAfter: Math.ceil(buckets.secondsUntil(accountId, rate)) })
      const wav = await makeSample(speech, wallClock, { ...body, language })
      return { file: inMemory(wav, wallClock.now()), name: 'sample.wav', tag: randomUUID() }
    },
  }
}

const inMemory = (content: Buffer, changedAt: number): OpenRecording => ({
  bytes: content.length,
  changedAt,
  read: async (position, length) => content.subarray(position, position + length),
  close: async () => {},
})
