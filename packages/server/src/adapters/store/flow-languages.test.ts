import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'

for (const database of bothDatabases) {
  test(`${database}: lists the languages of all flows once, and those of accounts for flows without one`, async (t) => {
    const store = await openTestStore(t, database)
    assert.deepEqual(await store.read.flows.languages(), [])
    const settings: FlowSettings[] = [
      {},
      { language: 'en-GB' },
      { language: 'en-GB', tts: { language: 'en-US' } },
      { stt: { languages: ['fr-FR', 'de-DE'] } },
    ]
    await store.write(async (tables) => {
      const input = { company: 'Example', country: 'DE', locale: 'de_DE', currency: 'EUR' } as const
      const accountId = await createAccount(tables, new VirtualClock(), input)
      for (const [index, one] of settings.entries()) await tables.flows.insert(accountId, { id: `f${index}`, name: '', settings: one }, 0)
    })
    assert.deepEqual(new Set(await store.read.flows.languages()), new Set(['de-DE', 'en-GB', 'en-US', 'fr-FR']))
  })
}
