import { extname } from 'node:path'
import { startThread } from '#media/thread/thread.ts'
import { SignOnFailure } from '#core/kernel/ports/sign-on.ts'

const maxMs = 10_000
const maxThreads = 2
const maxWaiting = 20

export interface SamlTask {
  /** Base64. */
  response: string
  certificates: readonly string[]
  audience: string
  callbackUrl: string
}

/** Element as the library reads it from the signed bytes. */
export interface SamlElement {
  $?: Record<string, string>
  _?: string
  [child: string]: SamlElement[] | Record<string, string> | string | undefined
}

interface SignedProfile {
  issuer: string
  nameId: string | undefined
  attributes: Record<string, unknown>
  assertion: SamlElement
}

export type SamlVerdict = { accepted: SignedProfile } | { rejected: string }

/** Checks signature and audience of responses in threads with limits on time and memory; more than a few wait, and many are rejected. */
export class SamlThreads {
  #running = 0
  readonly #waiting: (() => void)[] = []

  async check(task: SamlTask): Promise<SignedProfile> {
    if (this.#running >= maxThreads) {
      if (this.#waiting.length >= maxWaiting) throw new SignOnFailure('too many logins at once')
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running++
    try {
      const verdict = await run(task)
      if ('rejected' in verdict) throw new SignOnFailure(verdict.rejected)
      return verdict.accepted
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}

const run = (task: SamlTask): Promise<SamlVerdict> =>
  new Promise((resolve) => {
    const script = new URL(`./saml-worker${extname(import.meta.filename)}`, import.meta.url)
    const worker = startThread(script, { name: 'saml', workerData: task, heapShare: 1 / 16 })
    const timer = setTimeout(() => void worker.terminate(), maxMs)
    worker.once('message', (verdict: SamlVerdict) => resolve(verdict))
    worker.once('error', (error) => resolve({ rejected: String(error) }))
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve({ rejected: 'the response takes too long to check' })
    })
  })
