import type { User } from '../ports/store/users.ts'

/** As others see it. */
export const fullName = ({ firstname, lastname }: Pick<User, 'firstname' | 'lastname'>): string => `${firstname} ${lastname}`.trim()
