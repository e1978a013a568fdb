import { Menu, UnstyledButton } from '@mantine/core'
import type { Party } from '#api/phone/calls.ts'
import { Icon } from './icon/icon.tsx'
import classes from './phone/phone-number.module.css'
import { useNumberActions } from './phone/use-number-actions.ts'
import { useFormat } from './value/use-format.ts'

/** A name and its number, with everything that can be done with it: call, write, keep. Not inside a link: it is a button. */
export const CallableNumber = ({ number = '', name = '', contactId }: Party) => {
  const { phone } = useFormat()
  const hasName = name !== '' && name !== number
  const actions = useNumberActions()({ number, ...(hasName && { name }), ...(contactId !== undefined && { contactId }) })
  const words = (
    <>
      {hasName && <span>{name}</span>}
      {number !== '' && <span className={hasName ? classes.beside : classes.number}>{phone(number)}</span>}
    </>
  )
  if (actions.length === 0) return <span className={classes.words}>{words}</span>
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <span className={classes.words}>{words}</span>
          <Icon name="chevronDown" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, icon, onClick }) => (
          <Menu.Item key={label} leftSection={<Icon name={icon} size={16} />} onClick={onClick}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Several, one below the other. */
export const CallableNumbers = ({ numbers, name = '' }: { numbers: readonly string[]; name?: string }) => (
  <span className={classes.list}>
    {numbers.map((number) => (
      <CallableNumber key={number} number={number} {...(name !== '' && { name })} />
    ))}
  </span>
)
