import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { checkout, knows } from '#test/checkout/checkout.ts'
import { cutRelease } from '../../release/cut/cut-release.ts'
import { statedVersions } from '../../release/cut/set-version.ts'
import { afterRelease } from '../../release/cut/version.ts'

const lastRelease = (root: string): { version: string; commit: string } =>
  JSON.parse(readFileSync(join(root, 'release/last/release.json'), 'utf8')) as { version: string; commit: string }

/** Next patch version. */
const after = (version: string): string => version.replace(/\d+$/, (patch) => String(Number(patch) + 1))

const nothingNew = '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-11-16\n\n- Everything.\n'
const skip = !knows('HEAD') && 'an unpacked archive has no history'

const repository = async (t: TestContext) => {
  const root = await checkout(t, 'HEAD')
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  git('config', 'user.name', 'A maintainer')
  git('config', 'user.email', 'maintainer@example.org')
  const notify = (changelog: string): void => {
    writeFileSync(join(root, 'CHANGELOG.md'), changelog)
    git('commit', '--quiet', '--all', '--message', 'The changelog')
  }
  const version = after(lastRelease(root).version)
  return { root, git, notify, version, cut: { root, version, date: '2026-12-24', prove: () => undefined } }
}

test('makes a release commit with its version and tag, and one for the next development version', { skip }, async (t) => {
  const { root, git, notify, version, cut } = await repository(t)
  notify(nothingNew.replace('Unreleased\n', 'Unreleased\n\n- Something new.\n'))
  cutRelease(cut)
  assert.equal(git('status', '--porcelain'), '')
  const tagged = git('rev-parse', `v${version}^{commit}`)
  assert.deepEqual(lastRelease(root), { version, commit: tagged })
  assert.equal(git('rev-parse', 'HEAD^'), tagged)
  assert.deepEqual([...new Set(Object.values(statedVersions(root)))], [afterRelease(version)])
  assert.match(git('show', `${tagged}:CHANGELOG.md`), new RegExp(`## Unreleased\\n\\n## ${version} - 2026-12-24\\n\\n- Something new`))
  assert.match(git('show', `${tagged}:package.json`), new RegExp(`"version": "${version}"`))
  const described = JSON.parse(readFileSync(join(root, 'release/last/openapi.json'), 'utf8')) as { info: { version: string } }
  assert.equal(described.info.version, version)
})

test('rejects a release without changes, uncommitted, unproven, already tagged, or with a wrong version', { skip }, async (t) => {
  const { root, git, notify, version, cut } = await repository(t)
  notify(nothingNew)
  const begin = git('rev-parse', 'HEAD')
  assert.throws(() => cutRelease(cut), /nothing under "Unreleased"/)
  assert.throws(() => cutRelease({ ...cut, version: '9.9.9' }), /9\.9\.9 cannot follow/)
  writeFileSync(join(root, 'unseen.txt'), 'a change')
  assert.throws(() => cutRelease(cut), /not committed/)
  rmSync(join(root, 'unseen.txt'))
  git('tag', `v${version}`)
  assert.throws(() => cutRelease(cut), /a tag v[\d.]+ already/)
  git('tag', '--delete', `v${version}`)
  assert.equal(git('rev-parse', 'HEAD'), begin)

  notify(nothingNew.replace('Unreleased\n', 'Unreleased\n\n- Something new.\n'))
  const proven = git('rev-parse', 'HEAD')
  assert.throws(() => cutRelease({ ...cut, prove: () => assert.fail('a test failed') }), /a test failed/)
  assert.equal(git('rev-parse', 'HEAD'), proven)
  assert.equal(git('status', '--porcelain'), '')
})
