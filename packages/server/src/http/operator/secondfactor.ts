import type { operatorSecondFactorOperations } from '@offhook/contract/operator/secondfactor.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite, operatorActor } from '../../core/audit/audited-write.ts'
import type { OperatorCaller } from '../../core/identity/caller.ts'
import { demandOfOperators, operatorsNeedSecondFactor } from '../../core/identity/second-factor/demands.ts'
import { requireRecentLogin } from '../../core/identity/second-factor/recent-login.ts'
import { operatorSubject } from '../../core/identity/tokens.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'
import { secondFactorDeeds, type OwnFactors } from '../second-factor-deeds.ts'

export const operatorSecondFactorHandlers = (parts: Parts): Handlers<typeof operatorSecondFactorOperations> => {
  const { store, clock, authenticator } = parts
  const deeds = secondFactorDeeds(parts)

  const own = async (caller: OperatorCaller, authorization: string | undefined): Promise<OwnFactors> => {
    const { operatorId, tokenId } = caller
    const operator = await store.read.operators.find(operatorId)
    if (!operator) throw new Problem('not_authenticated')
    const demanded = await operatorsNeedSecondFactor(store.read)
    return {
      self: { subject: operatorSubject(operatorId), name: operator.email, demanded, holder: { operatorId }, tokenId },
      authorization,
      note: (tables, action) =>
        tables.audit.append('operator', {
          at: clock.now(),
          actor: operatorActor(caller),
          action: `operator.${action}`,
          target: operatorId,
        }),
    }
  }

  return {
    getOperatorSecondFactor: async ({ caller, authorization }) => deeds.show((await own(caller, authorization)).self),
    beginOperatorTotp: async ({ caller, authorization }) => deeds.beginTotp(await own(caller, authorization)),
    confirmOperatorTotp: async ({ caller, authorization, body }) => deeds.confirmTotp(await own(caller, authorization), body.code),
    removeOperatorTotp: async ({ caller, authorization }) => deeds.removeTotp(await own(caller, authorization)),
    renewOperatorRecoveryCodes: async ({ caller, authorization }) => deeds.renewRecoveryCodes(await own(caller, authorization)),

    demandOperatorSecondFactor: async ({ caller, authorization, body: { demanded } }) => {
      await requireRecentLogin(store.read, clock, authorization)
      const note = { chain: 'operator', action: 'operator.second_factor', target: caller.operatorId, detail: { demanded } }
      await auditedWrite(store, clock, caller, note, (tables) => demandOfOperators(tables, caller.operatorId, demanded))
      authenticator.forget()
    },
  }
}
