import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionWords } from './action-words.ts'

test('describes actions in words; keeps unknown ones unchanged', () => {
  assert.equal(actionWords('trunk.delete', 'en'), 'Trunk deleted')
  assert.equal(actionWords('trunk.delete', 'de'), 'Trunk gelöscht')
  assert.equal(actionWords('balance.payments', 'de'), 'Guthaben aufgeladen')
  assert.equal(actionWords('flow.secret.create', 'en'), 'Signing secret of an assistant created')
  assert.equal(actionWords('moon.land', 'en'), 'moon.land')
})
