import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { Vault } from '../ports/vault.ts'
import { mayHear } from './find-recording.ts'

const minute = 60_000
const validMs = 15 * minute

interface Link {
  accountId: string
  userId: string
  recordingId: string
  /** Seconds since 1970. */
  expires: number
}

/** Exactly as we write it: whatever else arrives was not written by us. */
const form = /^\/v2\/recordings\/([\w-]{1,64})\?account=([\w-]{1,64})&user=([a-z]\d{1,15})&expires=([1-9]\d{0,11})&signature=([\w-]{43})$/

export interface RecordingLinksParts {
  store: Store
  clock: Clock
  vault: Vault
  publicUrl: () => string
}

/** Addresses at which one user can fetch one recording for a quarter of an hour without a token, for players and downloads. */
export class RecordingLinks {
  readonly #parts: RecordingLinksParts
  readonly #key: Uint8Array

  constructor(parts: RecordingLinksParts) {
    this.#parts = parts
    this.#key = parts.vault.derive('recording links')
  }

  make(accountId: string, userId: string, recordingId: string): string {
    const expires = Math.floor((this.#parts.clock.now() + validMs) / 1000)
    const link = { accountId, userId, recordingId, expires }
    const query = `account=${accountId}&user=${userId}&expires=${expires}&signature=${this.#sign(link)}`
    return `${this.#parts.publicUrl()}${pathOf(recordingId)}?${query}`
  }

  /** Whom the address was made for, if it is whole, in time, and if they may still hear the recording. */
  async identify(address: string): Promise<UserCaller> {
    const { accountId, userId, recordingId } = this.#read(address)
    const { read } = this.#parts.store
    const [account, user] = await Promise.all([read.accounts.find(accountId), read.users.find(accountId, userId)])
    if (!account || !user) throw new Problem('recording_link_invalid')
    const recording = await read.recordings.find(accountId, recordingId)
    if (recording && !(await mayHear(read, { accountId, userId, admin: user.admin }, recording)))
      throw new Problem('recording_link_invalid')
    const tokenId = `link:${accountId}:${userId}`
    return { kind: 'user', accountId, userId, admin: user.admin, scopes: ['history:read'], tokenId }
  }

  #read(address: string): Link {
    const [, recordingId = '', accountId = '', userId = '', seconds = '', signature = ''] = form.exec(address) ?? []
    const link = { accountId, userId, recordingId, expires: Number(seconds) }
    const expected = Buffer.from(this.#sign(link))
    const given = Buffer.from(signature)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Problem('recording_link_invalid')
    if (this.#parts.clock.now() >= link.expires * 1000) throw new Problem('recording_link_invalid')
    return link
  }

  #sign({ accountId, userId, recordingId, expires }: Link): string {
    const signed = ['GET', pathOf(recordingId), accountId, userId, expires].join('\n')
    return createHmac('sha256', this.#key).update(signed).digest('base64url')
  }
}

const pathOf = (recordingId: string): string => `/v2/recordings/${recordingId}`
