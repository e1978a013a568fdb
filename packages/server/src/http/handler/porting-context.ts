import type { PortingDesk } from '#core/account/portings/porting-record.ts'
import type { HandlerParts } from './handler-parts.ts'

export const portingContext = ({ clock, vault, installation }: Pick<HandlerParts, 'clock' | 'vault' | 'installation'>): PortingDesk => ({
  clock,
  vault,
  carrierCode: installation.carrierCode,
  publicUrl: installation.publicUrl,
})
