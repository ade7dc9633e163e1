"""A pulse in a bent dielectric guide."""
import meep

guide = [meep.Block(meep.Vector3(8, 1, meep.inf), center=meep.Vector3(-2, -1.5),
                    material=meep.Medium(epsilon=12)),
         meep.Block(meep.Vector3(1, 8, meep.inf), center=meep.Vector3(1.5, 2),
                    material=meep.Medium(epsilon=12))]
pulse = meep.Source(meep.GaussianSource(0.15, fwidth=0.1), component=meep.Ez,
                    center=meep.Vector3(-4, -1.5), size=meep.Vector3(0, 1))
simulation = meep.Simulation(cell_size=meep.Vector3(12, 10), resolution=8, geometry=guide,
                             sources=[pulse], boundary_layers=[meep.PML(1.0)])
through = simulation.add_flux(0.15, 0.1, 5, meep.FluxRegion(
    center=meep.Vector3(1.5, 3.5), size=meep.Vector3(2, 0)))
simulation.run(until=60)
for at in range(-4, 3):
    print("field", at, simulation.get_field_point(meep.Ez, meep.Vector3(at, -1.5)).real)
print("energy", simulation.field_energy_in_box(
    meep.Volume(center=meep.Vector3(), size=meep.Vector3(10, 8))))
print("flux", *meep.get_fluxes(through))
