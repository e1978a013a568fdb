import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { isWaiting, spokenIn } from '#api/phone/calls.ts'
import { phoneLine, usePhone } from '#api/phone/phone-line.ts'
import type { Role } from '#api/session.ts'
import { useMay } from '#api/use-may.ts'
import { readOf, type OutputOf } from '#api/use-service.ts'
import type { IconName } from '#parts/icon/icons.ts'
import { isIn } from '#parts/list/find-rows.ts'
import { isDialable } from '#parts/phone/use-number-actions.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { menuOf } from '../menu/menu.ts'
import { useOpenPages } from '../menu/use-open-pages.ts'
import { text } from './text.ts'

type Found = OutputOf<'search'>['items'][number]

export type Choice = { key: string; icon: IconName; title: string; subtitle: string } & ({ to: string } | { run: () => void })

const icons: Record<Found['kind'], IconName> = {
  CONTACT: 'book',
  NUMBER: 'hash',
  FLOW: 'flow',
  DEVICE: 'device',
  USER: 'user',
  CALL: 'history',
}

const pauseMs = 120
const maxPages = 6

/** What fits what was typed: what can be done with a call that rings or runs, then pages, then whom one can call, then what the service finds. */
export const useChoices = (role: Role, typed: string): Choice[] => {
  const control = useControlChoices(typed)
  const pages = usePageChoices(role, typed)
  const call = useCallChoice(typed)
  const found = useFoundChoices(role, typed)
  return [...control, ...pages, ...call, ...found]
}

const usePageChoices = (role: Role, typed: string): Choice[] => {
  const { language } = useLanguage()
  const entries = menuOf(useOpenPages(role).open)
  const choices = entries.flatMap(({ name, icon, title, pages }) =>
    pages.map((page): Choice & { names: string[] } => ({
      key: `page ${page.path}`,
      icon,
      title: page.title[language],
      subtitle: pages.length > 1 ? title[language] : '',
      to: page.path,
      names: [page.title[language], page.tab?.[language] ?? '', title[language], name],
    })),
  )
  return typed.trim() === '' ? choices : choices.filter(({ names }) => isIn(typed, names)).slice(0, maxPages)
}

/** So that nobody has to walk through a page with the Tab key while it rings. */
const useControlChoices = (typed: string): Choice[] => {
  const say = useText(text)
  const { phone } = useFormat()
  const { calls } = usePhone()
  const waiting = calls.find(isWaiting)
  const spoken = spokenIn(calls)
  const choices: (Choice | undefined)[] = [
    waiting && {
      key: 'accept',
      icon: 'phone',
      title: say.accept(waiting.party.name ?? phone(waiting.party.number ?? '')),
      subtitle: '',
      run: () => phoneLine.wish((line) => line.accept(waiting.id)),
    },
    waiting && {
      key: 'decline',
      icon: 'hangUp',
      title: say.decline,
      subtitle: '',
      run: () => phoneLine.wish((line) => line.decline(waiting.id)),
    },
    spoken && {
      key: 'mute',
      icon: 'microphoneOff',
      title: spoken.muted ? say.unmute : say.mute,
      subtitle: '',
      run: () => phoneLine.wish((line) => line.mute(spoken.id, !spoken.muted)),
    },
    spoken && {
      key: 'hangUp',
      icon: 'hangUp',
      title: say.hangUp,
      subtitle: '',
      run: () => phoneLine.wish((line) => line.hangUp(spoken.id)),
    },
  ]
  return choices.filter((choice) => choice !== undefined).filter(({ title }) => typed.trim() === '' || isIn(typed, [title]))
}

const useCallChoice = (typed: string): Choice[] => {
  const say = useText(text)
  const { phone } = useFormat()
  const mayCall = useMay()('CAN_INITIATE_CALLS')
  const number = typed.replaceAll(/[\s()/.-]/g, '')
  if (!mayCall || !isDialable(number)) return []
  return [{ key: 'call', icon: 'phone', title: say.call(phone(number)), subtitle: '', run: () => phoneLine.call(number) }]
}

const useFoundChoices = (role: Role, typed: string): Choice[] => {
  const say = useText(text)
  const { phone, moment } = useFormat()
  const mayCall = useMay()('CAN_INITIATE_CALLS')
  const [q] = useDebouncedValue(typed.trim(), pauseMs)
  const wanted = role === 'user' && q.length > 1 && typed.trim() !== ''
  const { data } = useQuery({ ...readOf('search', { q }), enabled: wanted, placeholderData: keepPreviousData })
  if (!wanted) return []
  return (data?.items ?? []).flatMap(({ kind, id, title, subtitle, path, number, at }): Choice[] => {
    const key = `${kind} ${id}`
    const beside = [phone(subtitle), at === undefined ? '' : moment(at)].filter((words) => words !== '').join(' · ')
    const open: Choice = {
      key,
      icon: icons[kind],
      title: phone(title),
      subtitle: `${say.kinds[kind]}${beside === '' ? '' : ` · ${beside}`}`,
      to: path,
    }
    if (number === undefined || !mayCall || kind === 'NUMBER') return [open]
    const known = title === number ? {} : { name: title }
    return [
      open,
      {
        key: `call ${key}`,
        icon: 'phone',
        title: say.call(phone(title)),
        subtitle: phone(number),
        run: () => phoneLine.call(number, known),
      },
    ]
  })
}
