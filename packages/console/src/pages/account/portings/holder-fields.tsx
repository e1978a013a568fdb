import { SimpleGrid, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { CountrySelect } from '#lazy-parts/country-select.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** Who has the contract with the present carrier, before anything is filled in. */
export const noHolder = { name: '', street: '', number: '', postcode: '', city: '', country: 'DE' }

type Holder = typeof noHolder

interface HolderFieldsProps {
  form: { values: Holder; set: (name: keyof Holder, value: string) => void }
  error: unknown
  /** Before the fields: something that fills them in. */
  children?: ReactNode
}

/** The holder of numbers that are to be ported, for customers and operators. */
export const HolderFields = ({ form: { values, set }, error, children }: HolderFieldsProps) => {
  const say = useText(text)
  const common = (name: keyof Holder) => ({ required: true, value: values[name], error: fieldProblem(error, `holder/${name}`) })
  const field = (name: keyof Holder) => ({
    ...common(name),
    onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value),
  })
  return (
    <>
      <div>
        <Text fw={600} component="h3">
          {say.holder}
        </Text>
        <Text size="sm" c="dimmed">
          {say.holderHint}
        </Text>
      </div>
      {children}
      <TextInput label={say.name} maxLength={200} {...field('name')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.street} maxLength={200} {...field('street')} />
        <TextInput label={say.houseNumber} maxLength={20} {...field('number')} />
        <TextInput label={say.postcode} maxLength={16} {...field('postcode')} />
        <TextInput label={say.city} maxLength={100} {...field('city')} />
      </SimpleGrid>
      <CountrySelect label={say.country} {...common('country')} onChange={(code) => set('country', code)} />
    </>
  )
}
