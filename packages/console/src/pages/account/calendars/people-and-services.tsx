import { ActionIcon, Button, Checkbox, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { WeekFields } from '../hours/schedule-page.tsx'
import classes from './calendars.module.css'
import { text } from './text.ts'
import { slugOf, type Calendar } from './week.ts'

type Service = Calendar['services'][number]
type Person = Calendar['people'][number]

interface ServiceFieldsProps {
  services: readonly Service[]
  people: readonly Person[]
  disabled: boolean
  onChange: (services: Service[]) => void
}

export const ServiceFields = ({ services, people, disabled, onChange }: ServiceFieldsProps) => {
  const say = useText(text)
  const add = (): void => {
    const ids = services.map(({ id }) => id)
    onChange([...services, { id: slugOf('service', ids), name: '', minutes: 30 }])
  }
  return (
    <Stack>
      {services.map((service, place) => (
        <ServiceEntry
          key={place}
          service={service}
          people={people}
          disabled={disabled}
          onChange={(next) => onChange(services.with(place, next))}
          {...(services.length > 1 && { onRemove: () => onChange(services.toSpliced(place, 1)) })}
        />
      ))}
      {!disabled && (
        <Group>
          <Button variant="default" onClick={add}>
            {say.addService}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

interface ServiceEntryProps {
  service: Service
  people: readonly Person[]
  disabled: boolean
  onChange: (service: Service) => void
  onRemove?: () => void
}

const ServiceEntry = ({ service, people, disabled, onChange, onRemove }: ServiceEntryProps) => {
  const say = useText(text)
  const { people: doers, ...everybody } = service
  const turn = (id: string, does: boolean): void => {
    const next = people.map((one) => one.id).filter((one) => (one === id ? does : (doers?.includes(one) ?? true)))
    onChange(next.length === people.length ? everybody : { ...service, people: next })
  }
  const minutes = (name: 'minutes' | 'before' | 'after', min: number, max: number) => ({
    label: say[name],
    value: service[name] ?? 0,
    min,
    max,
    step: 5,
    disabled,
    onChange: (value: number | string) => onChange({ ...service, [name]: Number(value) }),
  })
  return (
    <Stack gap="xs" className={classes.entry} role="group" aria-label={service.name || say.service}>
      <Naming item={service} disabled={disabled} onChange={onChange} />
      <Group grow align="flex-end">
        <NumberInput {...minutes('minutes', 5, 720)} />
        <NumberInput {...minutes('before', 0, 240)} />
        <NumberInput {...minutes('after', 0, 240)} />
      </Group>
      {people.length > 1 && (
        <Checkbox.Group label={say.whoDoes} value={people.map(({ id }) => id).filter((id) => doers?.includes(id) ?? true)}>
          <Group mt="xs">
            {people.map(({ id, name }) => (
              <Checkbox
                key={id}
                value={id}
                label={name || id}
                disabled={disabled}
                onChange={(event) => turn(id, event.currentTarget.checked)}
              />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {!disabled && onRemove && <Remove label={say.removeService(service.name)} onRemove={onRemove} />}
    </Stack>
  )
}

interface PeopleFieldsProps {
  people: readonly Person[]
  /** Hours to begin with if a person gets own ones. */
  week: Calendar['week']
  disabled: boolean
  onChange: (people: Person[]) => void
}

export const PeopleFields = ({ people, week, disabled, onChange }: PeopleFieldsProps) => {
  const say = useText(text)
  const add = (): void => {
    const ids = people.map(({ id }) => id)
    onChange([...people, { id: slugOf('person', ids), name: '' }])
  }
  const setOwn = (place: number, person: Person, isOwn: boolean): void => {
    const { week: _own, ...others } = person
    onChange(people.with(place, isOwn ? { ...person, week } : others))
  }
  return (
    <Stack>
      {people.map((person, place) => (
        <Stack key={place} gap="xs" className={classes.entry} role="group" aria-label={person.name || say.person}>
          <Naming item={person} disabled={disabled} onChange={(next) => onChange(people.with(place, next))} />
          <Switch
            label={say.ownHours}
            checked={person.week !== undefined}
            disabled={disabled}
            onChange={(event) => setOwn(place, person, event.currentTarget.checked)}
          />
          {person.week && (
            <WeekFields week={person.week} disabled={disabled} onChange={(own) => onChange(people.with(place, { ...person, week: own }))} />
          )}
          {!disabled && people.length > 1 && (
            <Remove label={say.removePerson(person.name)} onRemove={() => onChange(people.toSpliced(place, 1))} />
          )}
        </Stack>
      ))}
      {!disabled && (
        <Group>
          <Button variant="default" onClick={add}>
            {say.addPerson}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

interface NamingProps<Item> {
  item: Item
  disabled: boolean
  onChange: (item: Item) => void
}

/** The name that people read, and the one that programs use. */
const Naming = <Item extends { id: string; name: string }>({ item, disabled, onChange }: NamingProps<Item>) => {
  const say = useText(text)
  return (
    <Group grow align="flex-start">
      <TextInput
        label={say.name}
        required
        maxLength={100}
        value={item.name}
        disabled={disabled}
        onChange={(event) => onChange({ ...item, name: event.currentTarget.value })}
      />
      <TextInput
        label={say.id}
        description={say.idHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        required
        maxLength={40}
        value={item.id}
        disabled={disabled}
        onChange={(event) => onChange({ ...item, id: event.currentTarget.value })}
      />
    </Group>
  )
}

const Remove = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <Group justify="flex-end">
    <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onRemove}>
      <Icon name="trash" size={16} />
    </ActionIcon>
  </Group>
)
