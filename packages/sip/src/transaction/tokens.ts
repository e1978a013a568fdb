import { randomFillSync } from 'node:crypto'
import { branchCookie } from './transactions.ts'

/** Random bytes are fetched in large pieces: each call costs more than the bytes. */
const pool = Buffer.alloc(4_096)
let used = pool.length

const token = (bytes: number): string => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

/** Tags, branches and Call-IDs that cannot be guessed. */
export const newTag = (): string => token(8)
export const newBranch = (): string => branchCookie + token(12)
export const newCallId = (): string => token(16)
