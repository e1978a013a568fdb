import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { TestContext } from 'node:test'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { customerMessagesAtOnce, customerRetries, customerSpread } from '#core/kernel/webhook/retry-schedule.ts'
import type { TellableCall } from '#core/kernel/ports/call-guide.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { PushSetting } from '#core/kernel/ports/store/push/push-settings.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { noPush } from '#core/telephone/push/change-push.ts'
import { noticeKind } from '#core/telephone/push/notices.ts'
import { Worker } from '#core/kernel/work/worker.ts'
import { openPush, type Push, type PushSigning } from '#wiring/push.ts'
import { openTestStore, type Database } from '../store/databases.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

export interface PushStage {
  store: Store
  clock: VirtualClock
  accountId: string
  push: Push
  vault: Vault
  worker: Worker
  /** What failed: of our own, and of deliveries. */
  errors: string[]
  set: (setting: Partial<PushSetting>) => Promise<void>
  /** Another account that has booked it. */
  newAccount: () => Promise<string>
}

/** Making one takes longer than most tests. */
const keyText = JSON.stringify(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }))

/** Everything between a call and the account's own software on this machine, with one account that has booked it. */
export const openPushStage = async (t: TestContext, database: Database, signing?: PushSigning): Promise<PushStage> => {
  let close = async (): Promise<void> => {}
  t.after(() => close()) // before the store
  const store = await openTestStore(t, database)
  const clock = new VirtualClock(Date.UTC(2026, 10, 15), () => worker.idle())
  const errors: string[] = []
  const vault = await openVault({ file: '', key: Buffer.alloc(32, 7).toString('base64') })
  const outbound = outboundHttp({ allow: ['127.0.0.1'] })
  const onError = (error: unknown): void => void errors.push(String(error))
  const push = openPush({ store, clock, wallClock: clock, vault, outbound, ...(signing && { signing }), onError })
  const worker = new Worker({
    store,
    clock,
    queue: (tables: Tables) => tables.outbox,
    tasks: { [noticeKind]: push.deliver },
    retryAfterMs: customerRetries,
    spread: customerSpread,
    atOnce: customerMessagesAtOnce,
    lookEveryMs: 3_600_000,
    onError: (_kind, error) => errors.push((error as Error).message),
  })
  close = async () => {
    await push.stop()
    await worker.close()
    await push.close()
    await outbound.close()
    assert.equal(clock.pending(), 0, 'timers were left behind')
  }
  await store.write(({ signingKeys }) => signingKeys.insert({ kid: 'push-1', jwkSealed: vault.seal(keyText), createdAt: 0 }))
  const newAccount = async (): Promise<string> => {
    const wish = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const
    return store.write(async (tables) => {
      const id = await createAccount(tables, clock, wish)
      await tables.accounts.bookFeature(id, 'SVCIO', clock.now())
      return id
    })
  }
  const accountId = await newAccount()
  const set = (setting: Partial<PushSetting>) => store.write(({ pushSettings }) => pushSettings.save(accountId, { ...noPush, ...setting }))
  worker.start()
  return { store, clock, accountId, push, vault, worker, errors, set, newAccount }
}

/** A call from outside to a line of Ada and Bob. */
export const tellableCall = (accountId: string, more: Partial<TellableCall> = {}): TellableCall => ({
  callId: 'call-1',
  origCallId: 'call-0',
  accountId,
  direction: 'in',
  from: '+4915799912345',
  to: '+4930231250',
  lines: ['p0', 'g0'],
  users: [
    { id: 'w0', name: 'Ada Lovelace' },
    { id: 'w1', name: 'Bob & Söhne' },
  ],
  diversion: undefined,
  ...more,
})
