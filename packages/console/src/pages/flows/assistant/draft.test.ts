import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assistantTemplates, withTransfer } from '@offhook/contract/v3/assistant-templates.ts'
import { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { bodyChecker } from '@offhook/contract/validation.ts'
import { changesBetween } from './changes.ts'
import { draftOf, inPlaceOf, isMoved, read, inputOf, withoutForeignHeaders, withoutSecrets, written, type Shown } from './draft.ts'

const base = withTransfer(assistantTemplates.reception.en.settings, 'p0', 'en')
const check = bodyChecker(AssistantSettings)

test('reads and writes a value by its path without other changes', () => {
  assert.equal(read(base, 'keys/2/transfer_to'), 'colleague')
  assert.equal(read(base, 'model/second/url'), undefined)
  const changed = written(base, 'keys/2/transfer_to', 'team')
  assert.deepEqual(changesBetween(base, changed), [{ path: 'keys/2/transfer_to', before: 'colleague', after: 'team' }])
  assert.deepEqual(written(base, 'model/second/url', 'http://a').model, { second: { url: 'http://a' } })
  assert.deepEqual(written({ a: 1, b: 2 }, 'a', undefined), { b: 2 })
})

test('turns a shown assistant into a draft: drops key flags, keeps header names', () => {
  const model = { url: 'http://127.0.0.1:1/v1', name: 'm', api_key_set: true, headers: [{ name: 'x-team' }] }
  const shown: Shown = { ...base, model: { ...model, second: model } } as Shown
  const draft = draftOf(shown)
  assert.deepEqual(read(draft, 'model/headers'), [{ name: 'x-team' }])
  assert.equal(read(draft, 'model/second/api_key_set'), undefined)
  check(inputOf(draft))
})

test('omits empty fields, keeps enabled options without content', () => {
  let draft = base
  for (const path of ['model/url', 'model/name', 'model/price/currency', 'limits/text', 'topics/text', 'result/webhook_url'])
    draft = written(draft, path, '')
  const input = inputOf(draft)
  check(input)
  assert.deepEqual([input.model, input.limits, input.topics], [undefined, undefined, undefined])
  assert.deepEqual(input.tools?.take_message, {})
  check(inputOf(written(written(base, 'topics/text', 'No.'), 'model', { url: 'http://a', name: 'm', second: { url: '', name: '' } })))
})

test('sends a schema as written, including empty texts', () => {
  const fields = { type: 'object', properties: { model: { description: '', default: '' } } }
  assert.deepEqual(inputOf(written(base, 'result/fields', fields)).result?.fields, fields)
})

test('leaves no secret in the form after saving', () => {
  const model = { url: 'http://a', name: 'm', api_key: 'sk-1', headers: [{ name: 'x', value: 'secret' }] }
  assert.deepEqual(withoutSecrets({ ...base, model }).model, { url: 'http://a', name: 'm', headers: [{ name: 'x' }] })
})

test('names differences down to the field; a list of words is one field', () => {
  const other = written(written(base, 'languages', ['en']), 'greeting', 'Hi.')
  assert.deepEqual(
    changesBetween(base, other).map(({ path }) => path),
    ['greeting', 'languages'],
  )
  assert.deepEqual(changesBetween(base, structuredClone(base)), [])
})

test('leaves the secrets of an address behind that leads to another host', () => {
  const tool = { name: 'ask', description: 'Asks', url: 'https://a.example/x', headers: [{ name: 'x-tool' }] }
  const model = { url: 'https://a.example/v1', name: 'm', headers: [{ name: 'x-team' }] }
  const before = { ...base, model, tools: { http: [tool] } }
  const same = { ...before, model: { ...model, url: 'https://A.example/v2' } }
  assert.equal(isMoved(same, before, 'model'), false)
  assert.deepEqual(inPlaceOf(same, before), same)
  const moved = { ...before, model: { ...model, url: 'http://a.example/v1' }, tools: { http: [{ ...tool, url: 'https://b.example/' }] } }
  assert.equal(isMoved(moved, before, 'model'), true)
  assert.equal(withoutForeignHeaders(moved, before).model?.headers, undefined)
  const taken = inPlaceOf(moved, before)
  assert.deepEqual([taken.model?.api_key, taken.model?.headers, taken.tools?.http?.[0]?.headers], [null, undefined, undefined])
  check(inputOf(taken))
})
