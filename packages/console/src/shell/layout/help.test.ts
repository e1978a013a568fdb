import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { germanGuides, guideOfPages, helpAddress } from './help.ts'

const guides = join(import.meta.dirname, '../../../../../docs/guides')

test('every page of the console has a guide, and every guide exists', () => {
  for (const [path, guide] of guideOfPages) {
    assert.ok(existsSync(join(guides, `${guide}.md`)), `${path}: ${guide}`)
    const german = existsSync(join(guides, 'de', `${guide}.md`))
    assert.equal(helpAddress(path, 'en'), `/docs/guides/${guide}`)
    assert.equal(helpAddress(path, 'de'), `/docs/guides/${german ? 'de/' : ''}${guide}`)
    assert.equal(germanGuides.has(guide), german, guide)
  }
})

test('uses the most specific row', () => {
  assert.equal(helpAddress('/calls/history/17', 'en'), '/docs/guides/recordings')
  assert.equal(helpAddress('/flows/17/test', 'en'), '/docs/guides/assistants')
  assert.equal(helpAddress('/flows/17', 'en'), '/docs/guides/assistants')
  assert.equal(helpAddress('/flows/17/assistant', 'de'), '/docs/guides/de/prompt-assistant')
  assert.equal(helpAddress('/operator/audit', 'en'), '/docs/guides/going-to-production')
  assert.equal(helpAddress('/users', 'en'), '/docs/guides/people')
})
