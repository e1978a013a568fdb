import type { User } from '#core/kernel/ports/store/account/users.ts'

/** As others see it. */
export const fullName = ({ firstname, lastname }: Pick<User, 'firstname' | 'lastname'>): string => `${firstname} ${lastname}`.trim()
