import { useLocation } from 'wouter'
import { dialable, type Party } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import { useMay } from '#api/use-may.ts'
import { useText } from '#words/use-text.tsx'
import { useToast } from '../dialog/toast.tsx'
import type { MenuAction } from '../table/row-menu.tsx'
import { text } from './text.ts'

/** A party from a history contact. */
export const knownAs = ({ id, name }: { id?: string; name: string }): { name: string; contactId?: string } => ({
  name,
  ...(id !== undefined && { contactId: id }),
})

/** Dialable: `+49…`, an internal number, `*43`. */
export const isDialable = (number: string): boolean => /^[+*#]?[\d*#]{2,20}$/.test(number)

const isPublicNumber = (number: string): boolean => /^\+\d{7,}$/.test(number)

/** Actions on a number; empty if it is not dialable. Also for row menus. */
export const useNumberActions = (): ((party: Party) => MenuAction[]) => {
  const say = useText(text)
  const may = useMay()
  const toast = useToast()
  const [, go] = useLocation()
  const copy = (number: string): void =>
    void navigator.clipboard.writeText(number).then(
      () => toast.done(say.copied),
      (error: unknown) => toast.failed(error),
    )
  return (party) => {
    const { name, contactId } = party
    const number = dialable(party.number ?? '')
    if (!isDialable(number)) return []
    const mayCall = may('CAN_INITIATE_CALLS')
    const known = { ...(name !== undefined && { name }), ...(contactId !== undefined && { contactId }) }
    const actions: (MenuAction | false)[] = [
      mayCall && { label: say.call, icon: 'phone', onClick: () => phoneLine.call(number, known) },
      mayCall && { label: say.desk, icon: 'device', onClick: () => phoneLine.ask('desk', { ...party, number }) },
      isPublicNumber(number) &&
        may('CAN_GET_FLOWS') && { label: say.assistant, icon: 'flow', onClick: () => phoneLine.ask('assistant', { ...party, number }) },
      isPublicNumber(number) &&
        may('CAN_ACCOUNT_SEND_WEB_SMS') && {
          label: say.sms,
          icon: 'message',
          onClick: () => go(`/sms?with=${encodeURIComponent(number)}`),
        },
      contactId === undefined &&
        isPublicNumber(number) &&
        may('CAN_GET_CONTACTS') && {
          label: say.addContact,
          icon: 'book',
          onClick: () => go(`/contacts?number=${encodeURIComponent(number)}`),
        },
      // Browsers allow clipboard access only over HTTPS or on this machine.
      isSecureContext && { label: say.copy, icon: 'copy', onClick: () => copy(number) },
    ]
    return actions.filter((action) => action !== false)
  }
}
