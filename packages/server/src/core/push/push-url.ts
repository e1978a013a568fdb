import { Problem } from '@offhook/contract/problem.ts'

/** An address that we will call about calls: absolute, http or https, without a fragment. Empty means none. */
export const requirePushUrl = (field: string, value: string): void => {
  if (value === '') return
  const url = URL.parse(value)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw Problem.field(field, 'must be an absolute http or https address, or empty')
  if (value.includes('#')) throw Problem.field(field, 'must not have a fragment (#)')
}
