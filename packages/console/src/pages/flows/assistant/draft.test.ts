import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assistantTemplates, withTransfer } from '@offhook/contract/v3/assistant-templates.ts'
import { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { changesBetween } from './changes.ts'
import { draftOf, read, inputOf, withoutSecrets, written, type Shown } from './draft.ts'

const base = withTransfer(assistantTemplates.reception.en.settings, 'p0', 'en')
const check = bodyChecker(AssistantSettings)

test('a value is read and written by its path, and nothing else changes', () => {
  assert.equal(read(base, 'keys/2/transfer_to'), 'colleague')
  assert.equal(read(base, 'model/second/url'), undefined)
  const changed = written(base, 'keys/2/transfer_to', 'team')
  assert.deepEqual(changesBetween(base, changed), [{ path: 'keys/2/transfer_to', before: 'colleague', after: 'team' }])
  assert.deepEqual(written(base, 'model/second/url', 'http://a').model, { second: { url: 'http://a' } })
  assert.deepEqual(written({ a: 1, b: 2 }, 'a', undefined), { b: 2 })
})

test('what is shown can be written again: whether there is a key is left out, names of headers stay', () => {
  const model = { url: 'http://127.0.0.1:1/v1', name: 'm', api_key_set: true, headers: [{ name: 'x-team' }] }
  const shown: Shown = { ...base, model: { ...model, second: model } } as Shown
  const draft = draftOf(shown)
  assert.deepEqual(read(draft, 'model/headers'), [{ name: 'x-team' }])
  assert.equal(read(draft, 'model/second/api_key_set'), undefined)
  check(inputOf(draft))
})

test('empty fields are not sent, and what is switched on without anything to say stays on', () => {
  let draft = base
  for (const path of ['model/url', 'model/name', 'model/price/currency', 'limits/text', 'topics/text', 'result/webhook_url'])
    draft = written(draft, path, '')
  const input = inputOf(draft)
  check(input)
  assert.deepEqual([input.model, input.limits, input.topics], [undefined, undefined, undefined])
  assert.deepEqual(input.tools?.take_message, {})
  check(inputOf(written(written(base, 'topics/text', 'No.'), 'model', { url: 'http://a', name: 'm', second: { url: '', name: '' } })))
})

test('a schema is sent as it was written, empty texts in it included', () => {
  const fields = { type: 'object', properties: { model: { description: '', default: '' } } }
  assert.deepEqual(inputOf(written(base, 'result/fields', fields)).result?.fields, fields)
})

test('after saving no secret is left in the form', () => {
  const model = { url: 'http://a', name: 'm', api_key: 'sk-1', headers: [{ name: 'x', value: 'secret' }] }
  assert.deepEqual(withoutSecrets({ ...base, model }).model, { url: 'http://a', name: 'm', headers: [{ name: 'x' }] })
})

test('what differs is named down to the field; a list of words is one field', () => {
  const other = written(written(base, 'languages', ['en']), 'greeting', 'Hi.')
  assert.deepEqual(
    changesBetween(base, other).map(({ path }) => path),
    ['greeting', 'languages'],
  )
  assert.deepEqual(changesBetween(base, structuredClone(base)), [])
})
