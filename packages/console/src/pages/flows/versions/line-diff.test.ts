import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineDiff } from './line-diff.ts'

const short = (before: string, after: string): string =>
  lineDiff(before, after)
    .map(({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`)
    .join('|')

test('marks kept, removed and added lines', () => {
  assert.equal(short('a\nb\nc', 'a\nx\nc'), ' a|-b|+x| c')
  assert.equal(short('a\nb', 'a\nb'), ' a| b')
  assert.equal(short('a\nb\nc', 'a\nc'), ' a|-b| c')
  assert.equal(short('', 'a'), '-|+a')
  assert.equal(short('a\nb\nc\nd', 'c\nd\na\nb'), '-a|-b| c| d|+a|+b')
})

/** Every text of up to `lines` lines, each of which is a or b. */
const texts = (lines: number): string[] =>
  lines === 1 ? ['a', 'b'] : ['a', 'b', ...texts(lines - 1).flatMap((text) => [`a\n${text}`, `b\n${text}`])]

test('gives the old text without additions, the new one without removals', () => {
  for (const before of texts(4))
    for (const after of texts(4)) {
      const lines = lineDiff(before, after)
      const without = (left: 'new' | 'gone'): string => lines.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join('\n')
      assert.deepEqual([without('new'), without('gone')], [before, after])
    }
})
