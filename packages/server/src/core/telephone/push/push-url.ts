import { Problem } from '@offhook/contract/problem.ts'

/** An address that calls can be told to: absolute, http or https, nothing after a #. May hold a name and password. */
export const isPushUrl = (written: string): boolean => /^https?:\/\/[^\s#]+$/i.test(written) && URL.canParse(written)

/** Empty means none. */
export const requirePushUrl = (field: string, written: string): void => {
  if (written !== '' && !isPushUrl(written))
    throw Problem.field(field, 'must be an absolute http or https address without a fragment, or empty')
}
