import type { BreakingChange } from './breaking-changes.ts'

/** Changelog section `## Unreleased` without its heading. */
export const unreleased = (changelog: string): string => {
  const [, rest = ''] = changelog.split(/^## Unreleased$/m)
  return rest.split(/^## /m)[0] ?? ''
}

/**
 * Undocumented breaking changes: each needs a line under `### Breaking` with its operation, by id or as `GET /v1/account`, where people who upgrade
 * look for it.
 */
export const unsent = (changes: readonly BreakingChange[], changelog: string): BreakingChange[] => {
  const [, rest = ''] = unreleased(changelog).split(/^### Breaking$/m)
  const notified = rest.split(/^### /m)[0] ?? ''
  return changes.filter(({ operation, operationId }) => !notified.includes(`\`${operation}\``) && !notified.includes(`\`${operationId}\``))
}
