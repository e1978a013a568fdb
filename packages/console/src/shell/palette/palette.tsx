import { Modal, TextInput } from '@mantine/core'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import type { Role } from '#api/session.ts'
import { useFocusReturn } from '#parts/modal/use-focus-return.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText, useLanguage } from '#words/use-text.tsx'
import classes from './palette.module.css'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { isWaiting, spokenIn } from '#api/phone/calls.ts'
import { phoneLine, usePhone } from '#api/phone/phone-line.ts'
import { useMay } from '#api/use-may.ts'
import { readOf, type OutputOf } from '#api/use-service.ts'
import type { IconName } from '#parts/icon/icons.ts'
import { isIn } from '#parts/list/find-rows.ts'
import { isDialable } from '#parts/phone/use-number-actions.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { menuOf } from '../menu/menu.ts'
import { useOpenPages } from '../menu/use-open-pages.ts'

import { text } from './text.ts'

export interface PaletteProps {
  role: Role
  onClose: () => void
}

/** Command palette: opens a page, finds people and items, or calls the typed number. */
export const Palette = ({ role, onClose }: PaletteProps) => {
  const say = useText(text)
  const list = useId()
  const [, go] = useLocation()
  const [typed, setTyped] = useState('')
  const [marked, setMarked] = useState(0)
  const choices = useChoices(role, typed)
  useFocusReturn(true)
  const current = Math.min(marked, choices.length - 1)
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return
    onClose()
    if ('to' in choice) go(choice.to)
    else choice.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) choose(choices[current])
    else if (choices.length > 0) setMarked((current + step + choices.length) % choices.length)
  }
  return (
    <Modal.Root opened returnFocus={false} onClose={onClose} size="lg" yOffset="10vh">
      <Modal.Overlay />
      <Modal.Content aria-label={say.title}>
        <TextInput
          data-autofocus
          variant="unstyled"
          className={classes.field}
          leftSection={<Icon name="search" size={18} />}
          role="combobox"
          aria-label={say.title}
          aria-expanded={choices.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={choices.length > 0 ? idOf(list, current) : undefined}
          placeholder={say.placeholder}
          maxLength={100}
          value={typed}
          onChange={({ currentTarget }) => (setTyped(currentTarget.value), setMarked(0))}
          onKeyDown={onKeyDown}
        />
        <Choices list={list} choices={choices} current={current} onMark={setMarked} onChoose={choose} />
        <p className={classes.foot} role="status">
          {choices.length === 0 ? say.nothing : say.keys}
        </p>
      </Modal.Content>
    </Modal.Root>
  )
}

const idOf = (list: string, index: number): string => `${list}-${index}`

interface ChoicesProps {
  list: string
  choices: readonly Choice[]
  current: number
  onMark: (index: number) => void
  onChoose: (choice: Choice) => void
}

const Choices = ({ list, choices, current, onMark, onChoose }: ChoicesProps) => (
  <div id={list} role="listbox" aria-label={useText(text).title} className={classes.list}>
    {choices.map((choice, index) => (
      <Row
        key={choice.key}
        id={idOf(list, index)}
        choice={choice}
        isMarked={index === current}
        onMark={() => onMark(index)}
        onChoose={() => onChoose(choice)}
      />
    ))}
  </div>
)

interface RowProps {
  id: string
  choice: Choice
  isMarked: boolean
  onMark: () => void
  onChoose: () => void
}

/** Chosen by keyboard or mouse. */
const Row = ({ id, choice: { icon, title, subtitle }, isMarked, onMark, onChoose }: RowProps) => {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isMarked) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isMarked])
  return (
    <div ref={row} id={id} role="option" aria-selected={isMarked} className={classes.row} onMouseMove={onMark} onClick={onChoose}>
      <Icon name={icon} size={18} />
      <span className={classes.title}>{title}</span>
      {subtitle !== '' && <span className={classes.subtitle}>{subtitle}</span>}
    </div>
  )
}

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

/** Matches of the typed text: controls of ringing or running calls, then pages, then people to call, then results of the service. */
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

/** Call controls by keyboard, without tabbing through the page while it rings. */
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
