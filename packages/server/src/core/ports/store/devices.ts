export interface Devices {}
