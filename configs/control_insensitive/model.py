import torch


class GraphModule(torch.nn.Module):
    def forward(
        self,
        L_first_weight_: torch.nn.parameter.Parameter,
        L_first_bias_: torch.nn.parameter.Parameter,
        L_x_: torch.Tensor,
        L_second_weight_: torch.nn.parameter.Parameter,
        L_second_bias_: torch.nn.parameter.Parameter,
    ):
        l_first_weight_ = L_first_weight_
        l_first_bias_ = L_first_bias_
        l_x_ = L_x_
        l_second_weight_ = L_second_weight_
        l_second_bias_ = L_second_bias_
        linear = torch._C._nn.linear(l_x_, l_first_weight_, l_first_bias_)
        l_x_ = l_first_weight_ = l_first_bias_ = None
        act = torch.relu(linear)
        linear = None
        linear_1 = torch._C._nn.linear(act, l_second_weight_, l_second_bias_)
        act = l_second_weight_ = l_second_bias_ = None
        return (linear_1,)
