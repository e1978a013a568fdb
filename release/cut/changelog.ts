import { unreleased } from '../openapi/told-in-changelog.ts'

/** Moves all unreleased changes under a version heading. */
export const datedChangelog = (changelog: string, version: string, date: string): string => {
  if (unreleased(changelog).trim() === '') throw new Error('CHANGELOG.md says nothing under "Unreleased": what would be released?')
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`)
}

/** Changelog section of a version without its heading: the release notes. */
export const notesOf = (changelog: string, version: string): string => {
  const [, rest] = changelog.split(new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`, 'm'))
  if (rest === undefined) throw new Error(`CHANGELOG.md has no version ${version}.`)
  return (rest.split(/^## /m)[0] ?? '').trim()
}
