import type { operatorSecondFactorOperations } from '@offhook/contract/operator/secondfactor.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditedWrite, auditByOperator } from '#core/kernel/audit/audit.ts'
import type { OperatorCaller } from '#core/account/identity/caller/caller.ts'
import { requireOfOperators, operatorsNeedSecondFactor } from '#core/account/identity/second-factor/challenge.ts'
import { requireRecentLogin } from '#core/account/identity/second-factor/recent-login.ts'
import { operatorSubject } from '#core/account/identity/tokens/tokens.ts'
import type { Handlers } from '../handler/context.ts'
import { secondFactorActions, type OwnFactors, type SecondFactorDeps } from '../handler/second-factor-actions.ts'

interface Asking {
  caller: OperatorCaller
  authorization: string | undefined
  ownPage: string | undefined
}

export const operatorSecondFactorHandlers = (deps: SecondFactorDeps): Handlers<typeof operatorSecondFactorOperations> => {
  const { store, clock, authenticator } = deps
  const actions = secondFactorActions(deps)

  const own = async ({ caller, authorization, ownPage }: Asking): Promise<OwnFactors> => {
    const { operatorId, tokenId } = caller
    const operator = await store.read.operators.find(operatorId)
    if (!operator) throw new Problem('not_authenticated')
    const demanded = await operatorsNeedSecondFactor(store.read)
    return {
      self: { subject: operatorSubject(operatorId), name: operator.email, demanded, holder: { operatorId }, tokenId },
      authorization,
      ownPage,
      note: (tables, action) =>
        auditByOperator(tables, clock, caller, { chain: 'operator', action: `operator.${action}`, target: operatorId }),
    }
  }

  return {
    getOperatorSecondFactor: async (asking) => actions.show((await own(asking)).self),
    beginOperatorTotp: async (asking) => actions.beginTotp(await own(asking)),
    confirmOperatorTotp: async (asking) => actions.confirmTotp(await own(asking), asking.body.code),
    removeOperatorTotp: async (asking) => actions.removeTotp(await own(asking)),
    listOperatorPasskeys: async (asking) => actions.listPasskeys((await own(asking)).self),
    beginOperatorPasskey: async (asking) => actions.beginPasskey(await own(asking)),
    addOperatorPasskey: async (asking) => actions.addPasskey(await own(asking), asking.body),
    removeOperatorPasskey: async (asking) => actions.removePasskey(await own(asking), asking.params.passkeyId),
    renewOperatorRecoveryCodes: async (asking) => actions.renewRecoveryCodes(await own(asking)),

    demandOperatorSecondFactor: async ({ caller, authorization, body: { demanded } }) => {
      await requireRecentLogin(store.read, clock, authorization)
      const note = { chain: 'operator', action: 'operator.second_factor', target: caller.operatorId, detail: { demanded } }
      await auditedWrite(store, clock, caller, note, (tables) => requireOfOperators(tables, caller.operatorId, demanded))
      authenticator.forget()
    },
  }
}
