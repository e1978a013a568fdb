import type { operatorAddressOperations } from '@offhook/contract/operator/addresses.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorAddressHandlers = (_parts: Parts): Handlers<typeof operatorAddressOperations> => ({})
