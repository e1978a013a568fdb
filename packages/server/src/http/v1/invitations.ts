import { Problem } from '@offhook/contract/problem.ts'
import type { invitationOperations } from '@offhook/contract/v1/invitations.ts'
import {
  acceptInvitation,
  invite,
  openInvitation,
  resendInvitation,
  withdrawInvitation,
  type Sent,
} from '#core/account/accounts/invitations.ts'
import { programName } from '#core/account/identity/login/program-name.ts'
import { requirePasswordAllowed } from '#core/account/identity/single-sign-on/enforcement.ts'
import { openSession } from '#core/account/identity/login/session-tokens.ts'
import type { Invitation } from '#core/kernel/ports/store/identity.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

type Parts = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'installation' | 'wake'>

export const invitationHandlers = (parts: Parts): Handlers<typeof invitationOperations> => {
  const { store, clock, vault, installation, wake } = parts
  const linkTo = (nonce: string): string => `${installation.publicUrl()}/console/invitation/${nonce}`
  const mailing = { clock, vault, linkTo }
  const notifications = ({ id, expiresAt, link }: Sent) => {
    wake()
    return { id, expiresAt: new Date(expiresAt).toISOString(), ...(!installation.mail && { link }) }
  }
  return {
    listInvitations: async ({ caller }) => ({
      items: (await store.read.invitations.list(caller.accountId)).map((invitation) => toElement(invitation, clock.now())),
    }),

    getInvitation: async ({ caller, params }) => {
      const invitation = await store.read.invitations.find(caller.accountId, params.invitationId)
      if (!invitation) throw new Problem('invitation_not_found')
      return toElement(invitation, clock.now())
    },

    createInvitation: async ({ caller, body, ip }) =>
      notifications(await store.write((tables) => invite(tables, mailing, { ...caller, ip }, body))),

    deleteInvitation: ({ caller, params }) => store.write((tables) => withdrawInvitation(tables, clock, caller, params.invitationId)),

    resendInvitation: async ({ caller, params, ip }) =>
      notifications(await store.write((tables) => resendInvitation(tables, mailing, { ...caller, ip }, params.invitationId))),

    readInvitation: async ({ params }) => {
      const { email, firstname, lastname, role, locale, account } = await openInvitation(store.read, params.nonce, clock.now())
      return { email, firstname, lastname, role, locale, company: account.company }
    },

    acceptInvitation: async ({ params, body, ip, userAgent }) => {
      const { credentials, standing } = await acceptInvitation(parts, params.nonce, body)
      await requirePasswordAllowed(store, clock, credentials)
      const from = { program: programName(userAgent), place: ip }
      const token = await store.write((tables) => openSession(tables, clock, credentials, { standing, from }))
      return { token, ...(standing === 'missing' && { secondFactorMissing: true as const }) }
    },
  }
}

const toElement = ({ id, email, firstname, lastname, role, invitedBy, createdAt, expiresAt }: Invitation, now: number) => ({
  id,
  email,
  firstname,
  lastname,
  role,
  invitedBy,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
  expired: expiresAt <= now,
})
