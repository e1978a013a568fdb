import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intoPassages } from '#core/assistant/knowledge/passages.ts'
import { markdownParagraphs, textParagraphs } from './text-paragraphs.ts'

const breathe = () => Promise.resolve()

test('of Markdown the words are kept, under their headings', async () => {
  const text = `Intro with *stress* and \`code\`.\r\n\r\n# One #\n- [a link](http://example.com/x) here\n- my_name __bold__\n\nTitle\n-----\n> quoted\n\n| a | b |\n|---|:-:|\n| 1 | 2 |`
  assert.deepEqual(await markdownParagraphs(text, breathe), [
    { text: 'Intro with stress and code.' },
    { text: 'a link here\nmy_name bold', heading: 'One' },
    { text: 'quoted', heading: 'Title' },
    { text: 'a b \n \n 1 2', heading: 'Title' },
  ])
})

test('what was made to take long does not', async () => {
  const many = 60_000
  const hostile = ['*', '[', '|', '# ', '_', '`', '(', '![', '- ', ' ', '#', '\n', '. ', '-', '=', '[](', '\n \n', '1.'].flatMap((one) => [
    one.repeat(many),
    `${one.repeat(many)}x`,
    `# ${one.repeat(many)}x`,
  ])
  for (const text of hostile) {
    for (const paragraphs of [await markdownParagraphs(text, breathe), textParagraphs(text)])
      for (const passage of intoPassages(paragraphs)) assert.ok(passage.text.length <= many * 4)
  }
})
