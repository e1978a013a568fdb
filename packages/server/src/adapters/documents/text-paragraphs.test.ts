import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intoPassages } from '#core/assistant/knowledge/index-paragraphs.ts'
import { markdownParagraphs, textParagraphs } from './text-paragraphs.ts'

test('keeps the words of Markdown under their headings', () => {
  const text = `Intro with *stress* and \`code\`.\r\n\r\n# One #\n- [a link](http://example.com/x) here\n- my_name __bold__\n\nTitle\n-----\n> quoted\n\n| a | b |\n|---|:-:|\n| 1 | 2 |`
  assert.deepEqual(markdownParagraphs(text), [
    { text: 'Intro with stress and code.' },
    { text: 'a link here\nmy_name bold', heading: 'One' },
    { text: 'quoted', heading: 'Title' },
    { text: 'a b \n \n 1 2', heading: 'Title' },
  ])
})

test('stays fast with hostile input', () => {
  const many = 60_000
  const hostile = ['*', '[', '|', '# ', '_', '`', '(', '![', '- ', ' ', '#', '\n', '. ', '-', '=', '[](', '\n \n', '1.'].flatMap((one) => [
    one.repeat(many),
    `${one.repeat(many)}x`,
    `# ${one.repeat(many)}x`,
  ])
  for (const text of hostile) {
    for (const paragraphs of [markdownParagraphs(text), textParagraphs(text)])
      for (const passage of intoPassages(paragraphs)) assert.ok(passage.text.length <= many * 4)
  }
})
