import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '#core/kernel/ports/account.ts'

/** Cost of a password check: KiB of memory, passes over it, threads. */
interface Argon2Cost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** OWASP's first choice for argon2id. The library's default algorithm is argon2id; its constant is not usable with erasable types. */
const USUAL_COST: Argon2Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const LONGEST_PASSWORD_BYTES = 1024
/** Each hash takes 19 MiB and a thread of the pool that file access and name lookups also need. */
const HASHES_AT_ONCE = 2

export function argon2Passwords(cost: Argon2Cost = USUAL_COST): Passwords {
  const sequentially = limitedTo(HASHES_AT_ONCE)
  const unmatchable = unmatchableHash(cost)
  return {
    async hash(password) {
      if (tooLong(password)) throw new RangeError(`A password has at most ${LONGEST_PASSWORD_BYTES} bytes`)
      return sequentially(() => hash(password, cost))
    },
    matches(password, known) {
      if (known === undefined || tooLong(password)) return sequentially(() => verify(unmatchable, '')).then(() => false)
      return sequentially(() => verify(known, password))
    },
  }
}

function tooLong(password: string): boolean {
  return Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES
}

/** Comparing with it costs the same as a real comparison; its digest is random, so no password is known for it. */
function unmatchableHash({ memoryCost, timeCost, parallelism }: Argon2Cost): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${part(16)}$${part(32)}`
}

/** Runs tasks in order, never more than `limit` concurrently. */
function limitedTo(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running < limit) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
