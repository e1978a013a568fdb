import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionEndReasons } from '@offhook/contract/assistant/session.ts'
import { explainEnd } from './explained.ts'

test('explains every end in both languages', () => {
  for (const reason of sessionEndReasons)
    for (const locale of ['de_DE', 'en_US'] as const)
      assert.match(explainEnd({ by: 'network', reason, cause: 'failed' }, locale), /^[A-Z].*\.$/)
})

test('explains the same reason by its cause', () => {
  const explained = (by: 'service' | 'network' | 'callee', reason: 'failed' | 'busy' | 'rejected', cause: string) =>
    explainEnd({ by, reason, cause }, 'en_US')
  assert.match(explained('service', 'failed', 'not_found'), /not in service/)
  assert.match(explained('service', 'failed', 'failed'), /could not be connected/)
  assert.match(explained('network', 'failed', 'failed'), /network/)
  assert.match(explained('callee', 'busy', 'do_not_disturb'), /Do not disturb/)
  assert.match(explained('callee', 'busy', 'busy'), /busy/)
  assert.match(explained('callee', 'rejected', 'anonymity_refused'), /withheld/)
})
