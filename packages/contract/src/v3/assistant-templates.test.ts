import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyChecker } from '../validation.ts'
import { assistantTemplates, templateLanguages, templateNames, withTransfer } from './assistant-templates.ts'
import { AssistantSettings } from './assistant-values.ts'

const check = bodyChecker(AssistantSettings)
const all = templateNames.flatMap((name) =>
  templateLanguages.map((language) => ({ name, language, settings: assistantTemplates[name][language].settings })),
)

for (const { name, language, settings } of all)
  test(`the template ${name} (${language}) is a complete assistant, with and without a transfer target`, () => {
    check(settings)
    check(withTransfer(settings, '+49301234567', language))
    assert.equal(settings.disclosure?.mode, 'first')
    assert.deepEqual(
      settings.keys?.map(({ digit }) => digit),
      ['1', '2'],
      'both work without a model',
    )
    assert.equal(settings.model, undefined, 'whose model it is nobody knows yet')
  })

test('texts of a template can be spoken: no lists, headings or links', () => {
  for (const { settings } of all)
    for (const words of [settings.greeting, settings.failed_text, ...(settings.keys ?? []).map(({ text }) => text)])
      assert.doesNotMatch(words ?? '', /[*#_[\]<>]|https?:|\n/)
})

test('offers a transfer by name and with a key; the target is only in the tool', () => {
  const { keys, tools } = withTransfer(assistantTemplates.reception.en.settings, 'p0', 'en')
  assert.deepEqual(keys?.at(-1), { digit: '0', does: 'transfer', text: 'I am putting you through.', transfer_to: 'colleague' })
  assert.deepEqual(tools?.transfer, [{ name: 'colleague', target: 'p0', when: 'The caller wants to talk to a person' }])
})
