import type { BreakingChange } from './breaking-changes.ts'

/** The part of the changelog under `## Unreleased`, without its heading. */
export const unreleased = (changelog: string): string => {
  const [, rest = ''] = changelog.split(/^## Unreleased$/m)
  return rest.split(/^## /m)[0] ?? ''
}

/**
 * The changes that nobody was told of: each needs a line under `### Breaking` that names its operation, by id or as `GET /v1/account`. Whoever upgrades
 * looks for it there.
 */
export const unsent = (changes: readonly BreakingChange[], changelog: string): BreakingChange[] => {
  const [, rest = ''] = unreleased(changelog).split(/^### Breaking$/m)
  const notified = rest.split(/^### /m)[0] ?? ''
  return changes.filter(({ operation, operationId }) => !notified.includes(`\`${operation}\``) && !notified.includes(`\`${operationId}\``))
}
