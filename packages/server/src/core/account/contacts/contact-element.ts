import type { Contact as ContactElement } from '@offhook/contract/v1/contacts.ts'
import type { Static } from 'typebox'
import type { Contact } from '#core/kernel/ports/store/account.ts'

/** A contact in the API's form. */
export const contactElement = ({ id, name, emails, numbers, shared }: Contact): Static<typeof ContactElement> => ({
  id,
  name,
  emails,
  numbers,
  shared,
})
