import { Modal, TextInput } from '@mantine/core'
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import type { Role } from '#api/session.ts'
import { useFocusReturn } from '#parts/modal/use-focus-return.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './palette.module.css'
import { text } from './text.ts'
import { useChoices, type Choice } from './use-choices.ts'

export interface PaletteProps {
  role: Role
  onClose: () => void
}

/** Goes to a page, finds somebody or something, or calls what was typed. */
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

/** Chosen with the keys of the field, or by the mouse. */
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
