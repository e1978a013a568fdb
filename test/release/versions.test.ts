import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { datedChangelog, notesOf } from '../../release/cut/changelog.ts'
import { statedTags, statedVersions } from '../../release/cut/set-version.ts'
import { afterRelease, mayFollow, readVersion } from '../../release/cut/version.ts'

test('states the same version in every package, the lock file and the API', () => {
  const stated = statedVersions(join(import.meta.dirname, '../..'))
  assert.ok(Object.keys(stated).length > 20)
  assert.equal(new Set(Object.values(stated)).size, 1, JSON.stringify(stated, null, 2))
  assert.ok(readVersion(Object.values(stated)[0] ?? ''))
})

test('tags images in guides and files to copy with that version', () => {
  const root = join(import.meta.dirname, '../..')
  const [version = ''] = Object.values(statedVersions(root))
  const tags = statedTags(root)
  assert.ok(tags.length > 5)
  for (const [file, tag] of tags) assert.equal(tag, version.replace('-dev', ''), file)
})

test('accepts a release that increments one part of the last version', () => {
  for (const next of ['0.1.1', '0.2.0', '1.0.0']) assert.ok(mayFollow(next, '0.1.0'), next)
  for (const next of ['0.1.0', '0.0.9', '0.1.2', '0.3.0', '0.2.1', '1.0.1', '1.1.0', '2.0.0', '0.2.0-dev'])
    assert.ok(!mayFollow(next, '0.1.0'), next)
  for (const text of ['', 'v0.2.0', '0.2', '0.02.0', '0.2.0 ', '0.2.0-']) assert.throws(() => readVersion(text), /is no version/)
  assert.equal(afterRelease('0.2.1'), '0.3.0-dev')
})

test('dates the unreleased changes, and uses them as the release notes', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 - 2026-11-16\n\n- Old.\n'
  const after = datedChangelog(before, '0.2.0', '2026-12-24')
  assert.equal(after, '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-24\n\n- New.\n\n## 0.1.0 - 2026-11-16\n\n- Old.\n')
  assert.equal(notesOf(after, '0.2.0'), '- New.')
  assert.equal(notesOf(after, '0.1.0'), '- Old.')
  assert.throws(() => notesOf(after, '0.3.0'), /no version 0.3.0/)
  assert.throws(() => datedChangelog(after, '0.3.0', '2027-01-01'), /nothing under "Unreleased"/)
})
